import { connect, type Socket } from 'node:net';
import type { FoundBoard } from './board-notice.ts';
import { type Control, type Hello, parseControl } from './control-line.ts';

/** A connection to a board whose first line was answered. */
export interface BoardLink {
  readonly socket: Socket;
  readonly token: string;
  /** The board's answer. */
  readonly reply: Control;
  /** Bytes that came after the answer. */
  readonly rest: Buffer;
}

const NEWLINE = 10;

/** A `Hello` without the token, which is in the notice. */
export type Greeting = Hello extends infer H ? (H extends Hello ? Omit<H, 'token'> : never) : never;

/** Connects to a board and greets it; `undefined` if it is gone or about to end, or does not answer before `signal`. */
export function connectBoard(
  board: FoundBoard,
  greeting: Greeting,
  signal?: AbortSignal,
): Promise<BoardLink | undefined> {
  return new Promise((resolve) => {
    const socket = connect(board.socket);
    let head = Buffer.alloc(0);
    const fail = (): void => {
      signal?.removeEventListener('abort', fail);
      socket.destroy();
      resolve(undefined);
    };
    const take = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(NEWLINE);
      if (end === -1) return;
      socket.pause();
      socket.off('data', take).off('error', fail).off('close', fail);
      signal?.removeEventListener('abort', fail);
      resolve({
        socket,
        token: board.token,
        reply: parseControl(head.toString('utf8', 0, end)),
        rest: head.subarray(end + 1),
      });
    };
    socket.on('data', take).once('error', fail).once('close', fail);
    signal?.addEventListener('abort', fail, { once: true });
    socket.write(`${JSON.stringify({ ...greeting, token: board.token })}\n`);
  });
}
