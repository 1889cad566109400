import { readAgents } from '../../../agent/define/read-agents.ts';
import type { Agent } from '../../../agent/define/agent.ts';
import { selectTools } from '../../../agent/loop/select-tools.ts';
import { chooseModel } from '../../../agent/model/resolve-model.ts';
import { isDiscoveryTool, isHelperTool } from '../../../tool/tool-marks.ts';
import type { Board } from '../../../board/board.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { defineCommand, FILES_ARGUMENT } from '../../../cli/shared/command.ts';
import { alignColumns, toCell } from '../../../cli/shared/print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';
import { redactorOf } from '../../../cli/shared/board/use-board.ts';

interface ListedAgent {
  readonly name: string;
  readonly description: string;
  /** `provider/model`; `undefined` if the environment names none. */
  readonly model: string | undefined;
  /** `undefined` if a server that was never asked may have them. */
  readonly tools: readonly string[] | undefined;
  /** The agents that it delegates to. */
  readonly agents: readonly string[];
  /** The prices for a million tokens, if configured. */
  readonly prices: Agent['prices'];
}

export const agents = defineCommand({
  name: 'agents',
  description:
    'Lists the agents of the board with model, number of tools and description. Starts no server and calls no model.',
  arguments: [FILES_ARGUMENT],
  examples: [['pegboard agents', 'then chat with one: pegboard agent NAME']],
  board: { mode: 'look' },
  run({ context, board }) {
    // Redaction changes only texts, so the shape stays.
    const listed = redactorOf(board).data(listAgents(board, context)) as readonly ListedAgent[];
    const none =
      'The board has no agents section. "pegboard agent" chats with a default agent that uses the whole board.';
    return {
      data: listed,
      view: (style, width) => describeAgents(listed, style, width),
      notes: listed.length === 0 ? none : [],
    };
  },
});

function listAgents(board: Board, { cwd, env }: CliContext): ListedAgent[] {
  const others = board.plugins.flatMap(({ providers = {} }) => Object.keys(providers));
  const nameOf = ({ model }: Agent): string | undefined => {
    try {
      const used = model ?? chooseModel(env, others);
      if (typeof used === 'string') return used;
      return 'provider' in used && 'model' in used ? `${used.provider}/${used.model}` : undefined;
    } catch {
      // The environment names no model.
      return undefined;
    }
  };
  return [...readAgents(board, { cwd }).values()].map((agent) => ({
    name: agent.name,
    description: agent.description ?? '',
    model: nameOf(agent),
    tools: toolsOf(agent, board),
    agents: agent.agents.map(({ name }) => name),
    prices: agent.prices,
  }));
}

function toolsOf(agent: Agent, { registry }: Board): readonly string[] | undefined {
  try {
    const tools = selectTools(agent, registry).filter((tool) => !isDiscoveryTool(tool) && !isHelperTool(tool));
    return tools.map(({ metadata }) => metadata.name);
  } catch {
    return undefined;
  }
}

function describeAgents(listed: readonly ListedAgent[], style: TextStyle, width: number): string[] {
  const rows = listed.map(({ name, model, tools, agents: below, description }) => [
    style.cyan(name),
    model ?? style.yellow('no model'),
    [
      tools === undefined ? 'tools not known' : counted(tools.length, 'tool'),
      ...(below.length === 0 ? [] : [counted(below.length, 'agent')]),
    ].join(', '),
    toCell(description),
  ]);
  return width === Infinity ? rows.map((row) => row.join('\t')) : alignColumns(rows, width, 'wrap');
}
