import { ToolError } from '../../../tool/tool-error.ts';
import type { JsonObject } from '../transports/wire-message.ts';
import type { Agreement, TransportFailure } from '../transports/transport.ts';
import { collectAnswers, MAX_ROUNDS, metaOf, toToolError, type UpstreamCall } from './call-tool.ts';
import type { RpcPeer } from './rpc-peer.ts';

/** A request other than a call of a tool: `prompts/get`, `resources/read`, `completion/complete`. */
export interface ServerRequestBody {
  readonly method: string;
  readonly params: JsonObject;
}

/** The outcome of a request; a `failed` one never reached the server, or lost it. */
export type ServerRequestOutcome =
  | { readonly type: 'result'; readonly result: JsonObject }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

/** Sends a request for a caller, and gives the server what it asks for on the way. Throws a `ToolError` for an error of the server. */
export async function sendRequest(
  call: UpstreamCall,
  { method, params }: ServerRequestBody,
  { peer, server }: { readonly peer: RpcPeer; readonly server: Agreement },
): Promise<ServerRequestOutcome> {
  const { signal } = call;
  let round: JsonObject = {};
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const progressToken = peer.nextId;
    const _meta = metaOf(server, call, { progressToken });
    const outcome = await peer.request(method, { ...params, ...round, _meta }, { signal, listener: call });
    if (outcome.type === 'failed') return outcome;
    if (outcome.type === 'error') throw toToolError(outcome.error);
    if (outcome.result['resultType'] !== 'input_required') return { type: 'result', result: outcome.result };
    round = await collectAnswers(outcome.result, call);
  }
  const message = `The server asked for further input ${MAX_ROUNDS} times without finishing.`;
  throw new ToolError({ code: 'execution_failed', message });
}
