import type { ServerResponse } from 'node:http';

const KEEP_ALIVE = 15_000;
/** Bytes that may wait for a client that does not read, before it is taken for gone. */
const MAX_WAITING = 64 * 1024 * 1024;
const open = new Set<ServerResponse>();
let timer: NodeJS.Timeout | undefined;

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies must not hold events back.
  'x-accel-buffering': 'no',
} as const;

/** Turns a response into a stream of events that is kept open by a comment now and then. */
export function openEventStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  // Missed events may have been sent before.
  if (response.headersSent) return;
  response.writeHead(200, { ...HEADERS, ...headers });
  response.flushHeaders();
  open.add(response);
  response.once('close', () => {
    open.delete(response);
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
  timer ??= setInterval(() => {
    for (const stream of open) stream.write(':\n\n');
  }, KEEP_ALIVE).unref();
}

/** Sends one message. JSON has no line breaks of its own, so it is one line of data. A client comes back with the id. */
export function writeEvent(response: ServerResponse, text: string, id?: string): void {
  if (response.destroyed || response.writableEnded) return;
  if (response.writableLength > MAX_WAITING) response.destroy();
  else response.write(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${text}\n\n`);
}

/** Tells a client where it can go on, without a message. */
export function writeEventId(response: ServerResponse, id: string): void {
  if (!response.destroyed && !response.writableEnded) response.write(`id: ${id}\ndata:\n\n`);
}
