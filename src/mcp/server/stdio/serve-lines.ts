import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { isThenable } from '../../../tool/is-thenable.ts';
import {
  ERROR_CODES,
  formatError,
  type JsonRpcId,
  messageValues,
  parseMessage,
  RequestError,
} from '../../protocol/json-rpc.ts';
import { formatOversize, LineReader } from '../../protocol/line-reader.ts';
import type { Caller } from '../caller.ts';
import { type Connection, Failure, type Reply } from '../connection.ts';
import type { McpServer } from '../mcp-server.ts';
import { LineTurns } from './line-turns.ts';

/** A byte stream in each direction: standard streams, or both sides of a socket. */
interface LineOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Writes to `output`, for a process that replaced the stream's own `write`. */
  readonly write?: ((text: string) => boolean) | undefined;
  /** Returns the bytes of one message at most. Default: 8 MiB. */
  readonly maxMessage?: (() => number | undefined) | undefined;
  /** Refuses new requests, waits for running calls during `grace`, and answers the rest with an error. */
  readonly signal?: AbortSignal | undefined;
  /** Returns the milliseconds for calls to finish after `signal`. Default: 5,000. */
  readonly grace?: (() => number | undefined) | undefined;
  /** Called with the connection before its first message. */
  readonly onOpen?: (connection: Connection) => void;
  /**
   * Called with a request that comes after `signal`; its client asks another process, and then ends the connection. Default: the request is
   * answered with an error, and the connection ends with the last running call.
   */
  readonly refuse?: (id: JsonRpcId) => void;
  /** Messages that are handled in one turn, so that other clients of this process get theirs. Default: all that have arrived. */
  readonly atOnce?: number;
}

/** The bytes of one message and the milliseconds after `signal`, where nothing names others. */
export const MAX_MESSAGE: number = 8 * 1024 * 1024;
export const GRACE = 5_000;
/** Bytes that wait for a client before it counts as one that does not read. */
const MAX_BACKLOG = 64 * 1024 * 1024;
/** Continues after pending work: cheaper than `process.nextTick`. */
const TURN = Promise.resolve();

/** Serves one client as a session of its own, a message a line, until its input ends. */
export async function serveLines(server: McpServer, caller: Caller, options: LineOptions): Promise<void> {
  const { input, output, signal, write = (text: string) => output.write(text) } = options;
  const maxMessage = (): number => options.maxMessage?.() ?? MAX_MESSAGE;
  let [isStopping, isOver] = [false, false];
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const connection = server.connect(caller);
  let queue = '';
  let isFlushing = false;
  const flush = (): void => {
    isFlushing = false;
    const text = queue;
    queue = '';
    if (output.destroyed || output.writableEnded) return;
    if (write(text)) return;
    if (output.writableLength > MAX_BACKLOG) return end('The client does not read');
    turns.hold(true);
    output.once('drain', () => turns.hold(false));
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
  const exchange = { send };
  connection.notify = send;
  options.onOpen?.(connection);
  const turns = new LineTurns({
    atOnce: options.atOnce ?? Infinity,
    read: (isReading) => void (isReading ? input.resume() : input.pause()),
    handle(line) {
      const message = parseMessage(line, messageValues(server.board.registry.executor));
      if (isStopping && message.type === 'request') {
        if (options.refuse !== undefined) return options.refuse(message.id);
        const error = { code: ERROR_CODES.internalError, message: 'The server is stopping.' };
        return send(formatError(message.id, error));
      }
      const settled = connection.handle(message, exchange);
      if (isThenable(settled)) void settled.then(reply);
      else reply(settled);
    },
  });
  const reader = new LineReader({
    get maxBytes() {
      return maxMessage();
    },
    onLine: (line) => turns.push(line),
    onOversize: (size, id) => send(formatOversize(id, { size, most: maxMessage() })),
  });

  const onData = (chunk: Buffer): void => {
    turns.begin();
    reader.push(chunk);
  };
  const leave = (): void => end('The input ended');
  const stop = async (): Promise<void> => {
    isStopping = true;
    const grace = AbortSignal.timeout(options.grace?.() ?? GRACE);
    const isBusy = (): boolean =>
      options.refuse === undefined ? connection.running + server.runningTasks > 0 : !isOver;
    while (isBusy() && !grace.aborted) await pause(10);
    end('The server stopped');
  };
  const onAbort = (): void => void stop();
  input.on('data', onData);
  for (const event of ['end', 'close', 'error']) input.once(event, leave);
  output.once('error', leave);
  // The client may have left before it was listened to.
  if (input.destroyed || output.destroyed) leave();
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });

  const why = await ended;
  isOver = true;
  input.off('data', onData);
  signal?.removeEventListener('abort', onAbort);
  const message = `${why} before the call was done. It may have had effects.`;
  connection.close(new RequestError(ERROR_CODES.internalError, message));
  // Answers are sent in the next turn.
  await nextTurn();
  if (queue !== '') flush();
}
