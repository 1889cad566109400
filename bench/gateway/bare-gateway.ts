// A gateway that only passes lines on: what two processes more cost by themselves.
import { spawn } from 'node:child_process';

const server = spawn(process.execPath, [process.argv[2] ?? ''], { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.on('data', (chunk) => server.stdin.write(chunk));
server.stdout.on('data', (chunk) => process.stdout.write(chunk));
process.stdin.on('end', () => server.kill());
