import { ToolContext } from '../core/tool-context.ts';
import type { Tool } from '../core/tool.ts';
import { parseTool, type PlainTool, type ToolClass } from '../define/parse-tool.ts';
import { toToolSet } from '../export/ai-sdk.ts';
import { ToolRegistry } from '../registry/tool-registry.ts';
import { type AgentSource, parseAgent } from './agent-definition.ts';
import type { ToolSet } from './ai-types.ts';
import { runBelow } from './run-agent.ts';
import { makeAgentTool } from './agent-tool.ts';
import { selectTools } from './select-tools.ts';

type Context = ToolContext | Readonly<Record<string, unknown>>;

/** Builds AI SDK tools whose calls go through a board's pipeline, the Atlas way. */
export class ToolBuilder {
  readonly #board: ToolRegistry;

  constructor(board: ToolRegistry = new ToolRegistry()) {
    this.#board = board;
  }

  /** The tools of an agent, the agents it hands tasks to included. */
  buildForAgent(source: AgentSource, context?: Context): ToolSet {
    const agent = parseAgent(source);
    const below = agent.agents.map((other) => makeAgentTool(other, runBelow, { board: this.#board }));
    return this.#build([...selectTools(agent, this.#board), ...below], context);
  }

  /** Tools from classes that need nothing to be made. */
  buildFromClasses(classes: Iterable<ToolClass>, context?: Context): ToolSet {
    return this.#build([...classes].map(parseTool), context);
  }

  /** Tools that are there already. */
  buildFromInstances(tools: Iterable<Tool | PlainTool>, context?: Context): ToolSet {
    return this.#build([...tools].map(parseTool), context);
  }

  #build(tools: readonly Tool[], context: Context | undefined): ToolSet {
    return toToolSet(tools, this.#board.executor, ToolContext.from(context).metadata);
  }
}
