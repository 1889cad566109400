import type { Agent, ModelName } from '../../agent/define/agent.ts';
import { defineAgent } from '../../agent/define/define-agent.ts';
import { readAgents } from '../../agent/define/read-agents.ts';
import { chooseModel, parseModelName } from '../../agent/model/resolve-model.ts';
import type { Board } from '../../board/board.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import type { CliContext } from './cli-context.ts';
import { UsageError } from './usage-error.ts';

const SYSTEM = [
  'You help the person at the terminal with the tools you are given.',
  'Use them rather than guessing; when a call fails, read what the error says to change.',
  'Answer briefly, in plain text.',
].join(' ');

/** Chooses the agent: by name, the only one, or a default over the whole board. */
export function chooseAgent(
  board: Pick<Board, 'files' | 'plugins'>,
  wanted: { readonly name: string | undefined; readonly model: string | undefined },
  { cwd, env }: Pick<CliContext, 'cwd' | 'env'>,
): Agent {
  const others = board.plugins.flatMap(({ providers = {} }) => Object.keys(providers));
  const agents = readAgents(board, { cwd });
  const agent = wanted.name === undefined ? defaultAgent(agents) : agents.get(wanted.name);
  if (agent === undefined) throw unknownAgent(wanted.name ?? '', [...agents.keys()]);
  if (wanted.model !== undefined)
    return { ...agent, model: replaceModel(agent, parseModelName(wanted.model, '--model', others)) };
  return agent.model === undefined ? { ...agent, model: chooseModel(env, others) } : agent;
}

/** Keeps the agent's address and key when only the model of the same provider changes. */
function replaceModel({ model }: Agent, wanted: ModelName): ModelName {
  const isSame = typeof model === 'object' && 'model' in model && model.provider === wanted.provider;
  return isSame ? { ...model, ...wanted } : wanted;
}

function defaultAgent(agents: ReadonlyMap<string, Agent>): Agent {
  const [first] = agents.values();
  if (agents.size === 1 && first !== undefined) return first;
  if (agents.size === 0) return defineAgent({ name: 'pegboard', description: 'Uses the whole board.', system: SYSTEM });
  throw new UsageError(`This board has several agents. Name one of: ${[...agents.keys()].join(', ')}.`, 'agent');
}

function unknownAgent(name: string, known: readonly string[]): UsageError {
  const nearest = nearestNames(name, known);
  if (nearest.length > 0)
    return new UsageError(`There is no agent "${name}". Did you mean: ${nearest.join(', ')}?`, 'agent');
  const hint = known.length === 0 ? 'The board has no agents section.' : `Use one of: ${known.join(', ')}.`;
  return new UsageError(`There is no agent "${name}". ${hint}`, 'agent');
}
