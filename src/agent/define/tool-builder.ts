import { boundsOf, withBounds } from '../../tool/calls/call-bounds.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import { parseTool, type PlainTool, type ToolClass } from '../../tool/define/parse-tool.ts';
import { toToolSet } from '../../export/ai-sdk.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { type AgentSource, parseAgent } from './agent-definition.ts';
import type { ToolSet } from '../model/ai-types.ts';
import { runBelow } from '../runs/execute-run.ts';
import { createAgentBounds } from '../loop/agent-bounds.ts';
import { type AgentToolOptions, makeAgentTool } from '../loop/agent-tool.ts';
import { selectTools } from '../loop/select-tools.ts';

/** Builds AI SDK tools whose calls go through a board's pipeline, the Atlas way. */
export class ToolBuilder {
  readonly #board: ToolRegistry;

  constructor(board: ToolRegistry = new ToolRegistry()) {
    this.#board = board;
  }

  /**
   * The tools of an agent, the agents it hands tasks to included. They reach each other and no other tool.
   *
   * `approve` asks a person where the agent's `approval` wants that. Default: whoever the board asks.
   */
  buildForAgent(
    source: AgentSource,
    context?: ToolContext | Readonly<Record<string, unknown>>,
    { approve }: Pick<AgentToolOptions, 'approve'> = {},
  ): ToolSet {
    const agent = parseAgent(source);
    const below = agent.agents.map((other) => makeAgentTool(other, runBelow, { board: this.#board, approve }));
    const tools = [...selectTools(agent, this.#board), ...below];
    const given = ToolContext.from(context);
    const bounds = createAgentBounds(agent, {
      registry: new ToolRegistry({ executor: this.#board.executor }).registerMany(tools),
      board: this.#board,
      approve,
      above: boundsOf(given),
      toProvider: (name) => name,
    });
    return this.#build(tools, withBounds(given, bounds));
  }

  /** Tools from classes that need nothing to be made. */
  buildFromClasses(classes: Iterable<ToolClass>, context?: ToolContext | Readonly<Record<string, unknown>>): ToolSet {
    return this.#build([...classes].map(parseTool), context);
  }

  /** Tools that are there already. */
  buildFromInstances(
    tools: Iterable<Tool | PlainTool>,
    context?: ToolContext | Readonly<Record<string, unknown>>,
  ): ToolSet {
    return this.#build([...tools].map(parseTool), context);
  }

  #build(tools: readonly Tool[], context: ToolContext | Readonly<Record<string, unknown>> | undefined): ToolSet {
    return toToolSet(tools, this.#board.executor, ToolContext.from(context).metadata);
  }
}
