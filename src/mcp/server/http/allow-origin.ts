import type { IncomingMessage, ServerResponse } from 'node:http';

/** Lets the web pages that passed the check read what they get. */
export function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader('access-control-allow-origin', headers.origin);
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate');
  response.setHeader('access-control-allow-methods', 'POST, GET, DELETE');
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) response.setHeader('access-control-allow-headers', asked);
}
