import type { IncomingMessage } from 'node:http';

/** Headers that decide who asks, for what, or where a message ends: a proxy and this server could each read another of two. */
const SINGLE = new Set([
  'host',
  'origin',
  'authorization',
  'content-length',
  'content-type',
  'transfer-encoding',
  'last-event-id',
  'x-forwarded-proto',
]);

/** The header that a request has more than once and may have only once. Node keeps one of them, or joins them, silently. */
export function findDoubledHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  // Each header is one entry of both: none is doubled.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return undefined;
  let seen: Set<string> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (!SINGLE.has(name) && !name.startsWith('mcp-')) continue;
    if (seen?.has(name) === true) return name;
    (seen ??= new Set()).add(name);
  }
  return undefined;
}
