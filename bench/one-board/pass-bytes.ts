// A front and a board that only pass bytes on: the least that two processes between a client and a server cost.
// node pass-bytes.ts front SOCKET | node pass-bytes.ts board SOCKET SERVER
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

const [, , part, path = '', file = ''] = process.argv;
if (part === 'front') {
  const socket = connect(path);
  process.stdin.on('data', (chunk) => socket.write(chunk));
  socket.on('data', (chunk) => process.stdout.write(chunk));
  process.stdin.on('end', () => socket.end());
  socket.on('close', () => process.exit(0));
} else {
  const server = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const listener = createServer((socket) => {
    socket.on('data', (chunk) => server.stdin.write(chunk));
    server.stdout.on('data', (chunk) => socket.write(chunk));
    socket.on('close', () => {
      server.kill();
      listener.close();
    });
  });
  listener.listen(path, () => process.stdout.write('ready\n'));
}
