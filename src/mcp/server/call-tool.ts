import { awaitArrival } from '../../board/registry/absent-tools.ts';
import type { BoardParts } from '../../discovery/board-like.ts';
import { invalidParams, RequestError } from '../protocol/json-rpc.ts';
import { checkOutput, formatCallResult } from './call-result.ts';
import { forwardLogs, forwardProgress } from './client-notifications.ts';
import { declaresApps } from './client-info.ts';
import { openState, Peer, withPeer } from './peer.ts';
import type { Answer, RequestScope } from './request-scope.ts';
import { type RequestState, type RequestStates, STATE_LIFETIME } from './request-state.ts';
import { runToolCall } from './run-tool-call.ts';
import type { ToolCatalog, ToolView } from './tool-catalog.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { isProxyTool } from '../../pipeline/proxy-tool.ts';
import { withPage } from '../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { isCodeTool, isProgramTool } from '../../tool/tool-marks.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';

/** Reads a `tools/call`, and waits for a tool that may still arrive. Throws a `RequestError` if it names no tool. */
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

/** Returns the arrival of the called tool, or of the target of a proxy tool. */
function arrivalIn(view: ToolView, wanted: string | undefined): Promise<void> | undefined {
  if (wanted === undefined || view.find(wanted) !== undefined || view.findForPage(wanted) !== undefined)
    return undefined;
  return view.registry.absent?.arrival(wanted, 'retry');
}

/** Answers `tools/call`. A failed tool is a result too, which says what to change. */
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
  // A tool that throws a protocol error means it: a model could not fix it.
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

export interface CallServices {
  readonly board: BoardParts;
  readonly catalog: ToolCatalog;
  readonly states: RequestStates;
}

/** The tool that a call names, as its caller sees it. */
interface CallTarget {
  readonly name: string;
  readonly view: ToolView;
  /** `undefined` if the caller has no such tool. */
  readonly own: Tool | undefined;
  /** The state that the client returned with the answers to a question. */
  readonly state: RequestState | undefined;
}

/** A call that is ready to run. */
export class PreparedCall {
  readonly name: string;
  readonly tool: Tool | undefined;
  readonly peer: Peer;
  /** Receives the progress: a task stores it, other calls send it to the client. */
  onProgress: CallOptions['onProgress'];
  readonly #scope: RequestScope;
  readonly #registry: ToolView['registry'];
  /** The page (MCP Apps) that makes the call. */
  readonly #page: string | undefined;

  constructor({ name, view, own, state }: CallTarget, scope: RequestScope, { board, states }: CallServices) {
    const { _meta: meta } = scope.params;
    this.name = name;
    // A client with pages forwards their calls; models cannot call such a tool, or not by this name.
    const forPage = own === undefined && declaresApps(scope.capabilities) ? view.findForPage(name) : undefined;
    this.tool = own ?? forPage?.tool;
    this.#page = forPage?.page;
    this.peer = new Peer(scope, { states, redactor: board.registry.executor, state });
    // Without a store for programs, each answer would start the program again and repeat its effects.
    const isProgram = this.tool !== undefined && (isCodeTool(this.tool) || isProgramTool(this.tool));
    if (isProgram && this.peer.asksByRetry && board.sealed === undefined) this.peer.isMute = true;
    this.onProgress = forwardProgress(scope, isPlainObject(meta) ? meta : undefined);
    this.#scope = scope;
    this.#registry = view.registry;
  }

  /** The target's name, if the called tool is a proxy. */
  get means(): string | undefined {
    return targetOf(this.tool, this.#scope.params['arguments']);
  }

  get readsOutputs(): boolean {
    return this.#registry.has('output_read');
  }

  /** Runs the call. `given` overrides the options of the request. */
  run(given?: CallOptions): Promise<ToolResult> {
    const { name, tool } = this;
    const { cancellation, connection } = this.#scope;
    const registry = this.#registry;
    const client = withPeer(this.peer, connection, this.#scope);
    const common: CallOptions = {
      signal: cancellation,
      // Models send "42" for 42, and JSON text for objects.
      coerce: true,
      context: new ToolContext(this.#page === undefined ? client : withPage(client, this.#page)),
      // A call with own options may become a task later.
      onProgress: given === undefined ? this.onProgress : (progress) => this.onProgress?.(progress),
      onLog: forwardLogs(this.#scope),
    };
    // A question that ends the request is found again when the request returns with the answer, at any server of the board.
    const approval = this.peer.asksByRetry && { key: `mcp/${this.peer.requestId}`, expires: STATE_LIFETIME };
    const options =
      approval === false && given === undefined ? common : { ...common, ...(approval && { approval }), ...given };
    // A tool outside of the caller's rights is answered like one that does not exist.
    if (tool === undefined) return Promise.resolve(registry.executor.refuse(registry.explainUnknown(name), options));
    return runToolCall(tool, { scope: this.#scope, registry, means: this.means ?? name, options });
  }
}

function targetOf(tool: Tool | undefined, args: unknown): string | undefined {
  return tool !== undefined && isProxyTool(tool) ? tool.targetName(args) : undefined;
}
