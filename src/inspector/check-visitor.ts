import type { IncomingMessage } from 'node:http';
import { hashToken, isSameHash } from '../mcp/server/auth/token-hash.ts';
import { readBearer } from '../mcp/server/auth/read-bearer.ts';
import { hostName } from '../mcp/server/http/gate/check-sender.ts';
import { isLoopback } from '../mcp/server/http/http-options.ts';

/** Why a request is not let in. */
export interface VisitorFault {
  readonly status: 401 | 403;
  readonly message: string;
}

/**
 * Refuses pages of other sites: a name that was made to point here (Host), and requests that another page sends (Origin).
 *
 * Unlike the MCP endpoint it lets in no page but its own, not even one of this machine.
 */
export function checkSender({ headers }: IncomingMessage): VisitorFault | undefined {
  const { host = '', origin } = headers;
  const name = hostName(`http://${host}`);
  if (name === undefined || !isLoopback(name))
    return { status: 403, message: `The Host "${host}" is not this machine. Open the link that was printed.` };
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return { status: 403, message: `Pages of "${origin}" may not call the inspector.` };
  return undefined;
}

/** Makes the check for the token: it is compared by hash, in a time that tells nothing. */
export function createTokenCheck(token: string): (request: IncomingMessage) => VisitorFault | undefined {
  const hash = hashToken(token);
  return (request) => {
    const given = readBearer(request);
    if (given !== undefined && isSameHash(hashToken(given), hash)) return undefined;
    const message = 'This needs the token of the link that was printed: open that link, it is new at every start.';
    return { status: 401, message };
  };
}
