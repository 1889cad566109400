import { withClient } from '../../../tool/calls/call-owner.ts';
import type { OfferRequest } from '../../../tool/offers.ts';
import { CANCELLATION, ToolContext, type ToolLog } from '../../../tool/tool-context.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { ERROR_CODES, RequestError } from '../../protocol/json-rpc.ts';
import { forwardLogs, forwardProgress } from '../client-notifications.ts';
import { mayUseOffer, toCallClient } from '../caller.ts';
import type { Connection } from '../connection.ts';
import { type McpPeer, withPeer } from '../peer.ts';
import type { RequestScope } from '../request-scope.ts';

/** Creates a request for a list: the client is asked nothing. */
export function listRequest(connection: Connection): OfferRequest {
  const { sessionId, ended, caller } = connection;
  const client = toCallClient(caller, sessionId, { via: 'MCP client', ended });
  return { context: new ToolContext(withClient({}, client)), allows: (place) => mayUseOffer(caller.access, place) };
}

/** Creates a request for a prompt or resource that can ask the client and send progress and log lines. */
export function offerRequest(scope: RequestScope, peer: McpPeer): OfferRequest {
  const { connection, params, cancellation } = scope;
  const { _meta: meta } = params;
  const progress = forwardProgress(scope, isPlainObject(meta) ? meta : undefined);
  const context = new ToolContext(withPeer(peer, connection), {
    callId: '',
    log: logFor(scope),
    get signal() {
      return scope.signal;
    },
    [CANCELLATION]: cancellation,
    progress: (done, total, message) =>
      progress?.({
        tool: scope.method,
        callId: '',
        done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      }),
    putOffTimeout: () => {},
    untimed: async (work) => work,
    keepOnEnd: () => {},
  });
  return { context, allows: (place) => mayUseOffer(connection.caller.access, place) };
}

/** Converts a server's error to the one for the board's clients. */
export function toRequestError(error: unknown, { era }: RequestScope): unknown {
  if (!(error instanceof ToolError)) return error;
  const { code, message, data } = error.protocol ?? { code: ERROR_CODES.internalError, message: error.message };
  const isNotFound = code === ERROR_CODES.legacyNotFound && era === 'modern';
  return new RequestError(isNotFound ? ERROR_CODES.invalidParams : code, message, data);
}

function logFor(scope: RequestScope): ToolLog {
  const forward = forwardLogs(scope);
  const at = (level: 'debug' | 'info' | 'warn' | 'error'): ToolLog['info'] => {
    return (message, data) =>
      forward?.({ tool: scope.method, callId: '', level, message, ...(data === undefined ? {} : { data }) });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
