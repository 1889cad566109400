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
/** Milliseconds for a board to answer; one that takes longer is stopped or hangs, and another one is started. */
const PATIENCE = 30_000;

/** A `Hello` without the token, which is in the notice. */
export type Greeting = Hello extends infer H ? (H extends Hello ? Omit<H, 'token'> : never) : never;

/** Connects to a board and greets it; `undefined` if it is gone, about to end or hangs, or does not answer before `signal`. */
export function connectBoard(
  board: FoundBoard,
  greeting: Greeting,
  signal?: AbortSignal,
): Promise<BoardLink | undefined> {
  return new Promise((resolve) => {
    const socket = connect(board.socket);
    let head = Buffer.alloc(0);
    const settle = (link: BoardLink | undefined): void => {
      clearTimeout(late);
      signal?.removeEventListener('abort', fail);
      socket.off('data', take).off('error', fail).off('close', fail);
      // An error may still follow, which nobody needs.
      if (link === undefined) socket.on('error', () => {}).destroy();
      resolve(link);
    };
    const fail = (): void => settle(undefined);
    const take = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(NEWLINE);
      if (end === -1) return;
      socket.pause();
      const reply = readReply(head.toString('utf8', 0, end));
      const rest = head.subarray(end + 1);
      settle(reply === undefined ? undefined : { socket, token: board.token, reply, rest });
    };
    const late = setTimeout(fail, PATIENCE);
    socket.on('data', take).once('error', fail).once('close', fail);
    signal?.addEventListener('abort', fail, { once: true });
    socket.write(`${JSON.stringify({ ...greeting, token: board.token })}\n`);
  });
}

/** Reads the first line of a board; `undefined` if another program wrote it. */
function readReply(line: string): Control | undefined {
  try {
    return parseControl(line);
  } catch {
    return undefined;
  }
}
