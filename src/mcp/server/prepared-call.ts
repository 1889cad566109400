import { withPage } from '../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { isCodeTool, isProgramTool } from '../../tool/tool-marks.ts';
import type { Tool } from '../../tool/tool.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { isProxyTool } from '../../pipeline/proxy-tool.ts';
import { parseMcpCall } from '../../export/mcp.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { declaresApps } from './declares-apps.ts';
import { Peer, withPeer } from './peer.ts';
import { forwardLogs, forwardProgress } from './call-notifications.ts';
import type { RequestScope } from './request-scope.ts';
import { type RequestState, type RequestStates, STATE_LIFETIME } from './request-state.ts';
import type { BoardParts } from '../../discovery/board-like.ts';
import type { ToolCatalog, ToolView } from './tool-catalog.ts';

/** The parts of the server that calls use. */
export interface CallServices {
  readonly board: BoardParts;
  readonly catalog: ToolCatalog;
  readonly states: RequestStates;
}

/** The tool that a call names, as its caller sees it. */
interface CallTarget {
  readonly name: string;
  readonly view: ToolView;
  /** The tool of this name; `undefined` where the caller has none. */
  readonly own: Tool | undefined;
  /** The state that the client carried for the server since the last question. */
  readonly state: RequestState | undefined;
}

/** A call that was read and is ready to run. A class, as every call is one and few need all of it. */
export class PreparedCall {
  readonly name: string;
  readonly tool: Tool | undefined;
  readonly peer: Peer;
  /** Takes the progress: that of a task is for those who ask for it, any other for the client. */
  onProgress: CallOptions['onProgress'];
  readonly #scope: RequestScope;
  readonly #registry: ToolRegistry;
  /** The page (MCP Apps) that makes the call, where one does. */
  readonly #page: string | undefined;

  constructor({ name, view, own, state }: CallTarget, scope: RequestScope, { board, states }: CallServices) {
    const { _meta: meta } = scope.params;
    this.name = name;
    // A client that shows pages hands on what these ask for; a model is not offered such a tool, or not by such a name.
    const forPage = own === undefined && declaresApps(scope.capabilities) ? view.findForPage(name) : undefined;
    this.tool = own ?? forPage?.tool;
    this.#page = forPage?.page;
    this.peer = new Peer(scope, { states, redactor: board.registry.executor, state });
    // Without a place where programs wait, one would begin anew with each answer, and do again what it did.
    const isProgram = this.tool !== undefined && (isCodeTool(this.tool) || isProgramTool(this.tool));
    if (isProgram && this.peer.asksByRetry && board.sealed === undefined) this.peer.isMute = true;
    this.onProgress = forwardProgress(scope, isPlainObject(meta) ? meta : undefined);
    this.#scope = scope;
    this.#registry = view.registry;
  }

  /** The name of the target, where the called tool is a proxy for others. */
  get means(): string | undefined {
    return targetOf(this.tool, this.#scope.params['arguments']);
  }

  /** True when the client may read the omitted part of long texts. */
  get readsOutputs(): boolean {
    return this.#registry.has('output_read');
  }

  /** Runs it. The options win over those of the request. */
  run(given?: CallOptions): Promise<ToolResult> {
    const { name, tool } = this;
    const { cancellation, connection, params } = this.#scope;
    const registry = this.#registry;
    const client = withPeer(this.peer, connection, this.#scope);
    const common: CallOptions = {
      signal: cancellation,
      // Models send "42" for 42 and a JSON text for an object.
      coerce: true,
      context: new ToolContext(this.#page === undefined ? client : withPage(client, this.#page)),
      // A call with options of its own may become a task later.
      onProgress: given === undefined ? this.onProgress : (progress) => this.onProgress?.(progress),
      onLog: forwardLogs(this.#scope),
    };
    // A question that ends the request is found again when the request comes with the answer, at any server of the board.
    const approval = this.peer.asksByRetry && { key: `mcp/${this.peer.requestId}`, expires: STATE_LIFETIME };
    const options =
      approval === false && given === undefined ? common : { ...common, ...(approval && { approval }), ...given };
    // A tool beyond the caller's rights is not on this view: it is answered as one that does not exist.
    if (tool === undefined) return Promise.resolve(registry.executor.refuse(registry.explainUnknown(name), options));
    const { arguments: args } = params;
    if (args === undefined || isPlainObject(args)) return registry.executor.execute(tool, args ?? {}, options);
    return executeAsWritten(tool, args, { registry, options });
  }
}

/** Arguments that are no object: a JSON text of one is read, anything else is told. */
async function executeAsWritten(
  tool: Tool,
  args: unknown,
  { registry, options }: { readonly registry: ToolRegistry; readonly options: CallOptions },
): Promise<ToolResult> {
  const { name } = tool.metadata;
  const call = parseMcpCall({ name, arguments: args });
  if (call?.malformed === undefined) return registry.executor.execute(tool, call?.input, options);
  const error = { code: 'invalid_arguments', message: call.malformed, toolName: name, field: 'arguments' } as const;
  return registry.executor.refuse(new ToolError(error), options);
}

/** Returns the name of a proxy tool's target. */
export function targetOf(tool: Tool | undefined, args: unknown): string | undefined {
  return tool !== undefined && isProxyTool(tool) ? tool.targetName(args) : undefined;
}
