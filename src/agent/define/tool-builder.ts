import { boundsOf, withBounds } from '../../tool/calls/call-bounds.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import { parseTool, type PlainTool, type ToolClass } from '../../tool/define/parse-tool.ts';
import { toToolSet } from '../../export/ai-sdk.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { type AgentSource, parseAgent } from './define-agent.ts';
import type { ToolSet } from '../model/ai-types.ts';
import { runBelow } from '../runs/execute-run.ts';
import { createAgentBounds, selectTools } from '../loop/select-tools.ts';
import { type AgentToolOptions, makeAgentTool } from '../loop/agent-tool.ts';

/** Builds AI SDK tools whose calls run through a board's pipeline, with the API of Atlas. */
export class ToolBuilder {
  readonly #board: ToolRegistry;

  constructor(board: ToolRegistry = new ToolRegistry()) {
    this.#board = board;
  }

  /**
   * Builds the tools of an agent, including the agents it delegates to. They can call each other and no other tool.
   *
   * `approve` asks a person when the agent's `approval` requires that. Default: the board asks.
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

  /** Builds tools from classes with constructors that take no arguments. */
  buildFromClasses(classes: Iterable<ToolClass>, context?: ToolContext | Readonly<Record<string, unknown>>): ToolSet {
    return this.#build([...classes].map(parseTool), context);
  }

  /** Builds tools from existing instances. */
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
