import type { IncomingMessage } from 'node:http';

/** Reads a whole body and hands it on; `undefined` when it is longer than `maxBytes`. Nothing when the sender goes away. */
export function readBody(request: IncomingMessage, maxBytes: number, done: (body: string | undefined) => void): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) return done(undefined);
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) {
      request.removeAllListeners('data');
      request.removeAllListeners('end');
      request.resume();
      done(undefined);
    } else if (first === undefined) first = chunk;
    else (rest ??= [first]).push(chunk);
  });
  request.on('end', () =>
    done(rest === undefined ? (first?.toString('utf8') ?? '') : Buffer.concat(rest, length).toString('utf8')),
  );
}
