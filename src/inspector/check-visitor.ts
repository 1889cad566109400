import type { IncomingMessage } from 'node:http';
import { hashToken, isSameHash, readBearer } from '../mcp/server/auth/token-authenticator.ts';
import { hostName } from '../mcp/server/http/gate/check-sender.ts';
import { isLoopback } from '../mcp/server/http/http-options.ts';

/** The reason why a request is refused. */
export interface VisitorFault {
  readonly status: 401 | 403;
  readonly message: string;
}

/**
 * Refuses requests of other sites: from a host name that was pointed here (Host), or from another page (Origin).
 *
 * Unlike the MCP endpoint it accepts no page but its own, not even from this machine.
 */
export function checkSender({ headers }: IncomingMessage): VisitorFault | undefined {
  const { host = '', origin } = headers;
  const name = hostName(`http://${host}`);
  if (name === undefined || !isLoopback(name))
    return { status: 403, message: `The Host "${host}" is not this machine. Open the printed link.` };
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return { status: 403, message: `Pages of "${origin}" may not call the inspector.` };
  return undefined;
}

/** Creates the check of the token. It compares hashes in constant time. */
export function createTokenCheck(token: string): (request: IncomingMessage) => VisitorFault | undefined {
  const hash = hashToken(token);
  return (request) => {
    const given = readBearer(request);
    if (given !== undefined && isSameHash(hashToken(given), hash)) return undefined;
    const message = 'This needs the token of the printed link. Open that link; it is new at every start.';
    return { status: 401, message };
  };
}
