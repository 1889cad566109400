// The thread that reads programs which would block the board.
import { parentPort } from 'node:worker_threads';
import { readProgram } from './read-program.ts';

parentPort?.on('message', (code: string) => parentPort?.postMessage(readProgram(code)));
