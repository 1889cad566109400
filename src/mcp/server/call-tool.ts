import type { ToolResult } from '../../tool/tool-result.ts';
import { RequestError, invalidParams } from '../protocol/json-rpc.ts';
import { awaitArrival } from '../../board/registry/absent-tools.ts';
import { checkOutput, formatCallResult } from './call-result.ts';
import { openState } from './peer.ts';
import { type CallServices, PreparedCall, targetOf } from './prepared-call.ts';
import type { Answer, RequestScope } from './request-scope.ts';
import type { RequestState } from './request-state.ts';
import type { ToolView } from './tool-catalog.ts';

/** Reads a `tools/call`, and waits for its tool where that may still come. Throws a `RequestError` for one that names no tool. */
export function prepareCall(scope: RequestScope, services: CallServices): PreparedCall | Promise<PreparedCall> {
  const { name, arguments: args } = scope.params;
  if (typeof name !== 'string') throw invalidParams('params.name must be a string: the name of a tool.');
  const view = services.catalog.view(scope.connection.caller.access);
  const own = view.find(name);
  const arrival = arrivalIn(view, own === undefined ? name : targetOf(own, args));
  const opening = openState(scope, services.states);
  if (arrival !== undefined || opening !== undefined) return prepareLater(scope, services, { name, arrival, opening });
  return new PreparedCall({ name, view, own, state: undefined }, scope, services);
}

interface LateCall {
  readonly name: string;
  readonly arrival: Promise<void> | undefined;
  readonly opening: Promise<RequestState> | undefined;
}

async function prepareLater(scope: RequestScope, services: CallServices, late: LateCall): Promise<PreparedCall> {
  const { name, arrival, opening } = late;
  const state = await opening;
  if (arrival !== undefined) await awaitArrival(arrival, name, { signal: scope.signal });
  const view = services.catalog.view(scope.connection.caller.access);
  return new PreparedCall({ name, view, own: view.find(name), state }, scope, services);
}

/** The arrival of the called tool, or of its target where the called tool is a proxy. */
function arrivalIn(view: ToolView, wanted: string | undefined): Promise<void> | undefined {
  if (wanted === undefined || view.find(wanted) !== undefined || view.findForPage(wanted) !== undefined)
    return undefined;
  return view.registry.absent?.arrival(wanted, 'retry');
}

/** Answers `tools/call`. A tool that fails is a result too, which says what to change. */
export function callTool(scope: RequestScope, services: CallServices): Promise<Answer> {
  const prepared = prepareCall(scope, services);
  return prepared instanceof PreparedCall ? runToAnswer(prepared) : prepared.then(runToAnswer);
}

function runToAnswer(call: PreparedCall): Promise<Answer> {
  return call.run().then((result) => toAnswer(call, result));
}

/** Returns the answer to a finished call: its result, or the question that the client has to answer first. */
export function toAnswer({ peer, tool, readsOutputs }: PreparedCall, result: ToolResult): Answer {
  const { interruption } = peer;
  if (!result.ok && interruption !== undefined) {
    if (interruption.type === 'refused') throw interruption.error;
    return peer.toInputRequired(interruption.requests);
  }
  // A tool that throws the protocol's own error means it: nothing a model could mend.
  if (!result.ok && result.error.cause instanceof RequestError) throw result.error.cause;
  if (!result.ok && result.error.protocol !== undefined) {
    const { code, message, data } = result.error.protocol;
    throw new RequestError(code, message, data);
  }
  if (tool?.outputSchema === undefined || !result.ok) return formatCallResult(result, { readsOutputs });
  const checked = checkOutput(tool, result);
  if (!checked.ok) return formatCallResult(checked.result, { readsOutputs });
  return formatCallResult(result, { structured: checked.data, readsOutputs });
}
