import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { BoardLike } from '../../../discovery/board-like.ts';
import { createOutputShelf } from '../../../platform/outputs/output-shelf.ts';
import { LOCAL_USER } from '../caller.ts';
import { type McpServer, toMcpServer } from '../mcp-server.ts';
import { serveLines } from './serve-lines.ts';

/** Options of a board served over stdio. */
export interface StdioOptions {
  /** The stream of incoming messages. Default: the standard input of this process. */
  readonly input?: Readable | undefined;
  /** The stream for answers. Default: the standard output of this process; nothing else may write to it. */
  readonly output?: Writable | undefined;
  /** Writes to `output`, for a process that replaced the stream's own `write`. */
  readonly write?: ((text: string) => boolean) | undefined;
  /** Bytes of one message at most; a function is called for each message. Default: 8 MiB. */
  readonly maxMessage?: number | (() => number | undefined) | undefined;
  /** Stops the server: it refuses new requests, waits for running calls during `grace`, and answers the rest with an error. */
  readonly signal?: AbortSignal;
  /** Milliseconds for calls to finish after `signal`; a function is called then. Default: 5,000. */
  readonly grace?: number | (() => number | undefined) | undefined;
}

/** Milliseconds for the board's store to take the last long outputs. */
const LEND_TIME = 2_000;

/**
 * Serves one client, one message per line, until the input ends. A board or a registry is served with the default options of `McpServer`.
 *
 * @example
 * await serveStdio(board);
 */
export async function serveStdio(served: McpServer | BoardLike, options: StdioOptions = {}): Promise<void> {
  const server = toMcpServer(served, 'serveStdio');
  const { board } = server;
  const { input = process.stdin, output = process.stdout, maxMessage, grace, ...rest } = options;
  // Some clients start a process for each request and read the rest of a long output in the next one.
  const shelf = createOutputShelf(() => board.store, { outlivesProcess: true });
  if (board.store !== undefined) board.outputs?.share(shelf);
  await serveLines(server, LOCAL_USER, {
    ...rest,
    input,
    output,
    maxMessage: () => read(maxMessage),
    grace: () => read(grace),
  });
  await Promise.race([board.outputs?.settled(), pause(LEND_TIME, undefined, { ref: false })]);
  if (server !== served) await server.close();
  // Reading from standard input would keep the process alive.
  if (options.input === undefined) input.pause();
}

function read(value: number | (() => number | undefined) | undefined): number | undefined {
  return typeof value === 'function' ? value() : value;
}
