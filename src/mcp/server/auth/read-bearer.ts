import type { IncomingMessage } from 'node:http';

/** The token of a request's `Authorization: Bearer …`; `undefined` when there is none. */
export function readBearer({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
}
