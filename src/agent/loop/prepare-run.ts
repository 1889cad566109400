import { type CallBounds, boundsOf, withBounds } from '../../tool/calls/call-bounds.ts';
import { isHelperTool } from '../../tool/tool-marks.ts';
import type { Tool } from '../../tool/tool.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { toBoardParts } from '../../discovery/board-like.ts';
import type { SchemaReader } from '../../tool/schema/read-schema.ts';
import { type Agent, readSystem } from '../define/agent.ts';
import { checkToolChoice, createAgentBounds, withToolChoice } from './select-tools.ts';
import { openRegistry, type RunBelow, type RunLink } from './agent-tool.ts';
import type { LanguageModel, ModelMessage } from '../model/ai-types.ts';
import { type Disclosure, openDisclosure, ShownTools } from './disclosure.ts';
import { readOutput } from './judge-answer.ts';
import { repairHistory } from '../session/compact-history.ts';
import { resolveModel } from '../model/resolve-model.ts';
import type { AgentInput, RunOptions } from '../define/run-options.ts';

/** Everything a run needs, prepared before the first step. `prepareRun` throws for every misuse. */
export interface PreparedRun {
  readonly agent: Agent;
  readonly model: LanguageModel;
  readonly system: string | undefined;
  /** The agent's tools and the pipeline that runs them. */
  readonly registry: ToolRegistry;
  /** The tools the agent may reach and the approvals they need; the context of every call carries it. */
  readonly bounds: CallBounds;
  readonly shownTools: ShownTools;
  readonly disclosure: Disclosure | undefined;
  readonly context: ToolContext;
  readonly output: SchemaReader | undefined;
  /** The earlier conversation, unless a session has it. */
  readonly history: readonly ModelMessage[];
  readonly input: readonly ModelMessage[];
  /** Undefined when the run cannot be cancelled. */
  readonly signal: AbortSignal | undefined;
  readonly options: RunOptions & { readonly link?: RunLink };
}

/** Prepares a run. Throws for misuse: missing tools, a missing key, a package that is not installed. */
export async function prepareRun(
  given: Agent,
  input: AgentInput,
  { runBelow, ...options }: RunOptions & { readonly link?: RunLink; readonly runBelow: RunBelow },
): Promise<PreparedRun> {
  const board = toBoardParts(options.board ?? new ToolRegistry(), 'RunOptions.board');
  const env = options.env ?? process.env;
  const providers = Object.assign({}, ...(board.plugins ?? []).map((plugin) => plugin.providers));
  const model = resolveModel(given.model, given.name, { env, providers });
  await waitForServers(given, board.registry);
  const registry = openRegistry(given, board.registry, { runBelow, board, env });
  const agent = withToolChoice(given, registry);
  checkToolChoice(agent, () => registry.names());
  const disclosure = openDisclosure(agent, registry, board);
  const context = ToolContext.from(options.context);
  const own = disclosure?.registry ?? registry;
  const bounds = createAgentBounds(agent, {
    registry: own,
    board: board.registry,
    approve: options.approve,
    above: boundsOf(context),
    toProvider: (name) => shownTools.toProvider(name),
  });
  const { redactor } = registry.executor;
  const shown = (): Tool[] => bounds.tools().filter((tool) => isShownAtOnce(agent, tool));
  const shownTools = disclosure?.shownTools ?? new ShownTools(registry.names(), shown());
  checkToolChoice(agent, () => bounds.tools().map(({ metadata }) => metadata.name));
  return {
    agent,
    model,
    system: await readSystem(agent.system, context).then((text) => text && redactor.text(text)),
    registry: own,
    bounds,
    shownTools,
    disclosure,
    context: withBounds(context, bounds),
    output: readOutput(agent),
    history: repairHistory(options.messages ?? []).map((message) => redactor.part(message)),
    input: (typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input).map((message) =>
      redactor.part(message),
    ),
    signal: openSignal(options),
    options,
  };
}

/** Waits for servers that are still connecting, if the agent names their tools. */
async function waitForServers({ tools }: Agent, board: ToolRegistry): Promise<void> {
  const named = tools === 'all' ? [] : tools.filter((pick) => typeof pick === 'string');
  const missing = named.filter((name) => board.get(name) === undefined);
  await Promise.all(missing.flatMap((name) => board.absent?.arrival(name, 'ask') ?? []));
}

/** Tools that read the rest of long results are shown when a result is cut, unless the agent selects them. */
function isShownAtOnce({ tools }: Agent, tool: Tool): boolean {
  return tools === 'all' || !isHelperTool(tool) || tools.includes(tool.metadata.name);
}

function openSignal({ signal, timeout }: RunOptions): AbortSignal | undefined {
  if (timeout === undefined) return signal;
  const late = AbortSignal.timeout(timeout);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}
