import type { Readable, Writable } from 'node:stream';
import { isThenable } from '../../../core/is-thenable.ts';
import { ERROR_CODES, formatError, parseMessage } from '../../protocol/json-rpc.ts';
import { LineReader } from '../../protocol/line-reader.ts';
import { ANYBODY } from '../caller.ts';
import { Failure, type McpServer, type Reply } from '../mcp-server.ts';
import { requireServer } from '../require-server.ts';

/** The two ends of a stdio server. */
export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Writes to `output`, where its own way is kept from others. */
  readonly write?: ((text: string) => boolean) | undefined;
  /** Bytes of one message; 8 MiB by default. */
  readonly maxMessage?: number;
  /** Stops the server as if the input had ended. */
  readonly signal?: AbortSignal;
}

const MAX_MESSAGE = 8 * 1024 * 1024;

/** Serves one client, message by line, until its end of the input closes. Throws when it is given no `McpServer`. */
export async function serveStdio(server: McpServer, options: StdioOptions): Promise<void> {
  requireServer(server, 'serveStdio');
  const { input, output, maxMessage = MAX_MESSAGE, signal } = options;
  const { write = (text: string) => output.write(text) } = options;
  const connection = server.connect(ANYBODY);
  let queue = '';
  let isFlushing = false;
  const flush = (): void => {
    isFlushing = false;
    const text = queue;
    queue = '';
    if (output.destroyed || output.writableEnded) return;
    // A client that does not read is not read from.
    if (!write(text)) {
      input.pause();
      output.once('drain', () => input.resume());
    }
  };
  const send = (text: string): void => {
    queue += `${text}\n`;
    if (isFlushing) return;
    isFlushing = true;
    // After all that this turn brings: answers to messages that came together leave together.
    process.nextTick(flush);
  };
  const reply = (settled: Reply): void => {
    if (settled !== undefined) send(settled instanceof Failure ? settled.text : settled);
  };
  const exchange = { connection, send };
  connection.notify = send;
  const reader = new LineReader({
    maxBytes: maxMessage,
    onLine(line) {
      const settled = server.handle(parseMessage(line), exchange);
      if (isThenable(settled)) void settled.then(reply);
      else reply(settled);
    },
    onOversize(size, id) {
      const message = `The message has ${size} bytes; ${maxMessage} is the most. Send less, for example a path instead of the content.`;
      send(formatError(id, { code: ERROR_CODES.invalidRequest, message }));
    },
  });

  await new Promise<void>((resolve) => {
    const onData = (chunk: Buffer): void => reader.push(chunk);
    const stop = (): void => {
      input.off('data', onData);
      signal?.removeEventListener('abort', stop);
      server.disconnect(connection, 'The client is gone.');
      if (queue !== '') flush();
      resolve();
    };
    input.on('data', onData);
    for (const event of ['end', 'close', 'error']) input.once(event, stop);
    output.once('error', stop);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
