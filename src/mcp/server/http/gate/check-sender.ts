import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpOptions, isLoopback } from '../http-options.ts';

/** Creates the check against web pages that call servers on this machine: returns the fault, or `undefined`. */
export function createSenderCheck(options: HttpOptions): (request: IncomingMessage) => string | undefined {
  const { host = '127.0.0.1', allowedHosts = [], allowedOrigins = [], authenticator } = options;
  const isLocal = isLoopback(host);
  const names = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  // If every client must show a token, a page that was tricked into calling this server has none.
  const anyHost = !isLocal && allowedHosts.length === 0 && authenticator !== undefined;
  let lastHost: string | undefined;

  const checkHost = (given: string | undefined): string | undefined => {
    if (given !== undefined && given === lastHost) return undefined;
    const name = hostName(`http://${given ?? ''}`);
    const isKnown =
      name !== undefined &&
      (anyHost || names.has(name) || names.has(given?.toLowerCase() ?? '') || (isLocal && isLoopback(name)));
    if (!isKnown) return `The Host "${given ?? ''}" is not served here. Add it to serve.allowed_hosts if it should be.`;
    lastHost = given;
    return undefined;
  };
  const checkOrigin = (origin: string | undefined): string | undefined => {
    if (origin === undefined || origins.has(origin.toLowerCase())) return undefined;
    const name = hostName(origin);
    if (name !== undefined && isLocal && isLoopback(name)) return undefined;
    return `Pages of "${origin}" may not call this server. Add it to serve.allowed_origins if they should.`;
  };
  return ({ headers }) => checkHost(headers.host) ?? checkOrigin(headers.origin);
}

/** Returns the host name of a plain address; `undefined` for others. */
export function hostName(address: string): string | undefined {
  // Other parts of a URL are not allowed, and would be ignored.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]+$/i.test(address)) return undefined;
  return URL.canParse(address) ? new URL(address).hostname.toLowerCase() : undefined;
}

/** Lets web pages that passed the check read the response. */
export function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader('access-control-allow-origin', headers.origin);
  response.setHeader('vary', 'origin');
  response.setHeader(
    'access-control-expose-headers',
    'mcp-session-id, www-authenticate, retry-after, location, idempotency-key',
  );
  response.setHeader('access-control-allow-methods', 'POST, GET, DELETE');
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) response.setHeader('access-control-allow-headers', asked);
}

/** Headers that decide about the sender, the target or the end of a message: of two, a proxy and this server could read different ones. */
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

/** Returns a header that occurs more than once and must not. Node silently keeps one or joins them. */
export function findDoubledHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  // Every header is a single entry.
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
