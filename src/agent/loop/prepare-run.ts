import { readFile } from 'node:fs/promises';
import { type CallBounds, boundsOf, withBounds } from '../../tool/calls/call-bounds.ts';
import { isHelperTool } from '../../tool/tool-marks.ts';
import type { ModelProvider } from '../../tool/model-provider.ts';
import type { Tool } from '../../tool/tool.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { type BoardParts, toBoardParts } from '../../discovery/board-like.ts';
import { type SchemaReader, readSchema } from '../../tool/schema/read-schema.ts';
import type { Agent, SystemPrompt } from '../define/agent.ts';
import { createAgentBounds } from './agent-bounds.ts';
import { makeAgentTool, type RunBelow } from './agent-tool.ts';
import type { LanguageModel, ModelMessage } from '../model/ai-types.ts';
import { type Disclosure, openDisclosure } from './disclosure.ts';
import { ShownTools } from './shown-tools.ts';
import { repairHistory } from '../session/repair-history.ts';
import { resolveModel } from '../model/resolve-model.ts';
import type { RunLink } from './run-link.ts';
import type { AgentInput, RunOptions } from '../define/run-options.ts';
import { selectTools } from './select-tools.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

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

/** Returns the model providers of the board's plugins. */
function providersOf({ plugins = [] }: BoardParts): Readonly<Record<string, ModelProvider>> {
  return Object.assign({}, ...plugins.map(({ providers }) => providers));
}

/** Prepares a run. Throws for misuse: missing tools, a missing key, a package that is not installed. */
export async function prepareRun(
  given: Agent,
  input: AgentInput,
  { runBelow, ...options }: RunOptions & { readonly link?: RunLink; readonly runBelow: RunBelow },
): Promise<PreparedRun> {
  const board = toBoardParts(options.board ?? new ToolRegistry(), 'RunOptions.board');
  const env = options.env ?? process.env;
  const model = resolveModel(given.model, given.name, { env, providers: providersOf(board) });
  await waitForServers(given, board.registry);
  const registry = openRegistry(given, board, { runBelow, board, env });
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

/** Returns the board itself when the agent uses all of it; otherwise a registry of its selection on the same pipeline. */
function openRegistry(
  agent: Agent,
  { registry }: BoardParts,
  { runBelow, ...options }: Pick<RunOptions, 'board' | 'env'> & { readonly runBelow: RunBelow },
): ToolRegistry {
  if (agent.tools === 'all' && agent.agents.length === 0) return registry;
  const tools = selectTools(agent, registry);
  tools.push(...registry.getAll().filter((tool) => isHelperTool(tool) && !tools.includes(tool)));
  const names = new Set(tools.map(({ metadata }) => metadata.name));
  const agents = agent.agents.map((below) => makeAgentTool(below, runBelow, options));
  const taken = agents.find(({ metadata }) => names.has(metadata.name));
  if (taken !== undefined) {
    const message = `The agent "${agent.name}" has a tool and an agent that are both called "${taken.metadata.name}". Rename one of them.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'agents' });
  }
  return new ToolRegistry({ executor: registry.executor }).registerMany([...tools, ...agents]);
}

function readOutput({ name, output }: Agent): SchemaReader | undefined {
  if (output === undefined) return undefined;
  try {
    const reader = readSchema(output);
    reader.jsonSchema();
    return reader;
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `The agent "${name}" has an output schema that cannot be used: ${reason}`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'output', cause });
  }
}

/** Replaces the name in `toolChoice` with the tool's current name. */
function withToolChoice(agent: Agent, registry: ToolRegistry): Agent {
  const { toolChoice } = agent;
  if (typeof toolChoice === 'string' || registry.has(toolChoice.tool)) return agent;
  const [tool] = registry.only([toolChoice.tool]);
  return tool === undefined ? agent : { ...agent, toolChoice: { tool: tool.metadata.name } };
}

/** Throws when the tool that must be called first is not one of the agent's. */
function checkToolChoice({ name, toolChoice }: Agent, ownTools: () => readonly string[]): void {
  if (typeof toolChoice === 'string') return;
  const tools = ownTools();
  if (tools.includes(toolChoice.tool)) return;
  const nearest = nearestNames(toolChoice.tool, tools);
  const hint = nearest.length > 0 ? `Did you mean: ${nearest.join(', ')}?` : 'Add it to its tools.';
  const message = `The agent "${name}" must call "${toolChoice.tool}" first, which is not one of its tools. ${hint}`;
  throw new ToolError({ code: 'invalid_arguments', message, toolName: toolChoice.tool, field: 'toolChoice' });
}

async function readSystem(system: SystemPrompt | undefined, context: ToolContext): Promise<string | undefined> {
  if (system === undefined || typeof system === 'string') return system;
  if (typeof system === 'function') return system(context);
  try {
    return await readFile(system.file, 'utf8');
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `The system prompt ${system.file} cannot be read: ${reason}.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'system', cause });
  }
}

function openSignal({ signal, timeout }: RunOptions): AbortSignal | undefined {
  if (timeout === undefined) return signal;
  const late = AbortSignal.timeout(timeout);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}
