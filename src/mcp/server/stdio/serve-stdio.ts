import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { isThenable } from '../../../tool/is-thenable.ts';
import { ERROR_CODES, formatError, messageValues, parseMessage, RequestError } from '../../protocol/json-rpc.ts';
import { LineReader } from '../../protocol/line-reader.ts';
import { LOCAL_USER } from '../caller.ts';
import type { BoardLike } from '../../../discovery/board-like.ts';
import { Failure, type McpServer, type Reply, toMcpServer } from '../mcp-server.ts';
import { createOutputShelf } from '../../../platform/outputs/output-shelf.ts';

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

const MAX_MESSAGE = 8 * 1024 * 1024;
const GRACE = 5_000;
/** Milliseconds for the board's store to take the last long outputs. */
const LEND_TIME = 2_000;
/** Continues after pending work: cheaper than `process.nextTick`. */
const TURN = Promise.resolve();

/**
 * Serves one client, a message a line, until the input ends. A board or a registry is served with the default options of
 * `McpServer`.
 *
 * @example
 * await serveStdio(board);
 */
export async function serveStdio(served: McpServer | BoardLike, options: StdioOptions = {}): Promise<void> {
  const server = toMcpServer(served, 'serveStdio');
  const { input = process.stdin, output = process.stdout, signal } = options;
  const maxMessage = (): number => read(options.maxMessage) ?? MAX_MESSAGE;
  let isStopping = false;
  const { write = (text: string) => output.write(text) } = options;
  // Some clients start a process for each request and read the rest of a long output in the next one.
  const shelf = createOutputShelf(() => server.board.store, { outlivesProcess: true });
  if (server.board.store !== undefined) server.board.outputs?.share(shelf);
  const connection = server.connect(LOCAL_USER);
  let queue = '';
  let isFlushing = false;
  const flush = (): void => {
    isFlushing = false;
    const text = queue;
    queue = '';
    if (output.destroyed || output.writableEnded) return;
    // Stops reading from a client that does not read.
    if (!write(text)) {
      input.pause();
      output.once('drain', () => input.resume());
    }
  };
  const send = (text: string): void => {
    queue += `${text}\n`;
    if (isFlushing) return;
    isFlushing = true;
    // Answers to messages that arrived together are sent together.
    void TURN.then(flush);
  };
  const reply = (settled: Reply): void => {
    if (settled !== undefined) send(settled instanceof Failure ? settled.text : settled);
  };
  const exchange = { connection, send };
  connection.notify = send;
  const reader = new LineReader({
    get maxBytes() {
      return maxMessage();
    },
    onLine(line) {
      const message = parseMessage(line, messageValues(server.board.registry.executor));
      if (isStopping && message.type === 'request') {
        const error = { code: ERROR_CODES.internalError, message: 'The server is stopping.' };
        return send(formatError(message.id, error));
      }
      const settled = server.handle(message, exchange);
      if (isThenable(settled)) void settled.then(reply);
      else reply(settled);
    },
    onOversize(size, id) {
      const message = `The message has ${size} bytes; ${maxMessage()} is the most. Send less, for example a path instead of the content.`;
      send(formatError(id, { code: ERROR_CODES.invalidRequest, message }));
    },
  });

  await new Promise<void>((resolve) => {
    const onData = (chunk: Buffer): void => reader.push(chunk);
    let isOver = false;
    const end = async (why: string): Promise<void> => {
      if (isOver) return;
      isOver = true;
      input.off('data', onData);
      signal?.removeEventListener('abort', stop);
      const message = `${why} before the call was done. It may have had effects.`;
      server.disconnect(connection, new RequestError(ERROR_CODES.internalError, message));
      // Answers are sent in the next turn.
      await nextTurn();
      if (queue !== '') flush();
      await Promise.race([server.board.outputs?.settled(), pause(LEND_TIME, undefined, { ref: false })]);
      if (server !== served) await server.close();
      // Reading from standard input would keep the process alive.
      if (options.input === undefined) input.pause();
      resolve();
    };
    const leave = (): void => void end('The input ended');
    const stop = (): void => {
      isStopping = true;
      const grace = AbortSignal.timeout(read(options.grace) ?? GRACE);
      const wait = async (): Promise<void> => {
        while (connection.running + server.runningTasks > 0 && !grace.aborted) await pause(10);
        await end('The server stopped');
      };
      void wait();
    };
    input.on('data', onData);
    for (const event of ['end', 'close', 'error']) input.once(event, leave);
    output.once('error', leave);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

function read(value: number | (() => number | undefined) | undefined): number | undefined {
  return typeof value === 'function' ? value() : value;
}
