import { isPlainObject } from '../../core/json.ts';
import { ToolError } from '../../core/tool-error.ts';
import { ToolResult } from '../../core/tool-result.ts';
import type { Tool } from '../../core/tool.ts';
import type { CallOptions } from '../../execute/call-options.ts';
import { parseMcpCall } from '../../export/mcp-calls.ts';
import { ERROR_CODES, RequestError } from '../protocol/json-rpc.ts';
import type { CallLogs } from './call-logs.ts';
import { checkOutput } from './check-output.ts';
import { formatCallResult } from './format-call-result.ts';
import { Peer, withPeer } from './peer.ts';
import { forwardProgress } from './progress.ts';
import type { Answer, RequestScope } from './request-scope.ts';
import type { RequestStates } from './request-state.ts';
import type { ServedBoard } from './served-board.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/** What calls need of the server. */
export interface CallHost {
  readonly board: ServedBoard;
  readonly catalog: ToolCatalog;
  readonly states: RequestStates;
  readonly logs: CallLogs;
}

/** A call that was read and is ready to run. */
export interface PreparedCall {
  readonly name: string;
  readonly tool: Tool | undefined;
  readonly peer: Peer;
  /** Runs it. The options win over those of the request. */
  run(options?: CallOptions): Promise<ToolResult>;
}

/** Reads a `tools/call`. Throws a `RequestError` for one that names no tool. */
export function prepareCall(scope: RequestScope, host: CallHost): PreparedCall {
  const { name, arguments: args, _meta: meta } = scope.params;
  if (typeof name !== 'string') {
    throw new RequestError(ERROR_CODES.invalidParams, 'params.name must be a string: the name of a tool.');
  }
  const { registry } = host.board;
  const extra = registry.has(name) ? undefined : host.catalog.findExtra(name);
  const tool = extra ?? registry.get(name);
  const peer = new Peer(scope, host.states);
  const run = (given?: CallOptions): Promise<ToolResult> => {
    const options: CallOptions = {
      signal: scope.signal,
      // Models send "42" for 42 and a JSON text for an object.
      coerce: true,
      context: withPeer(peer),
      onProgress: forwardProgress(scope, isPlainObject(meta) ? meta : undefined),
      callId: scope.logLevel === undefined ? undefined : host.logs.open(scope, scope.logLevel),
      ...given,
    };
    if (tool !== undefined && !scope.connection.caller.access.allows(tool)) {
      return Promise.resolve(registry.executor.refuse(refuseAccess(scope, name), options));
    }
    if (extra !== undefined) return registry.executor.execute(extra, args ?? {}, options);
    if (args === undefined || isPlainObject(args)) return registry.call(name, args ?? {}, options);
    return callAsWritten(scope, host, options);
  };
  return { name, tool, peer, run };
}

/** Answers `tools/call`: whatever the tool does is a result, and says what to change where it failed. */
export async function callTool(scope: RequestScope, host: CallHost): Promise<Answer> {
  const call = prepareCall(scope, host);
  return toAnswer(call, await call.run());
}

/** What a finished call is answered with: its result, or what the client has to be asked first. */
export function toAnswer({ peer, tool }: PreparedCall, result: ToolResult): Answer {
  const { interruption } = peer;
  if (!result.ok && interruption !== undefined) {
    if (interruption.type === 'refused') throw interruption.error;
    return peer.toInputRequired(interruption.requests);
  }
  if (tool?.outputSchema === undefined || !result.ok) return formatCallResult(result);
  const checked = checkOutput(tool, result);
  return checked.ok ? formatCallResult(result, checked.data) : formatCallResult(checked.result);
}

/** Arguments that are no object: a JSON text of one is read, anything else is told. */
async function callAsWritten(scope: RequestScope, { board }: CallHost, options: CallOptions): Promise<ToolResult> {
  const call = parseMcpCall(scope.params);
  const { callId: id = String(scope.id), ...rest } = options;
  const [result] = await board.registry.callAll(call === undefined ? [] : [{ ...call, id }], rest);
  return result ?? ToolResult.error('The call could not be read.');
}

function refuseAccess({ connection }: RequestScope, toolName: string): ToolError {
  const { hint = 'Ask for a token that allows it.' } = connection.caller.access;
  return new ToolError({
    code: 'permission_denied',
    message: `This client's token does not allow "${toolName}". ${hint}`,
    toolName,
    reason: 'not allowed by the token',
  });
}
