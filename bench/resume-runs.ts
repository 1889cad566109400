// Makes kept runs that stop before their last step, and says so: node resume-runs.ts FOLDER RUNS STEPS [STORE]. Also what resume.ts goes on with.
import type { Agent } from '../src/agent.ts';
import type { Board } from '../src/index.ts';
import { scriptedModel, type ScriptedReply, type ScriptedRequest } from '../src/testing.ts';
import { loadBuilt } from './load-built.ts';

/** The id of a run by its number. */
export function runIdOf(run: number): string {
  return `run-${run}`;
}

/** The board of the runs, whose one tool looks something up. */
export async function openRunBoard(folder: string, url: string | undefined): Promise<Board> {
  const { defineTool, openBoard } = await loadBuilt('index');
  const look = defineTool({
    name: 'look',
    description: 'Looks something up',
    risk: 'read',
    schema: { type: 'object', properties: { what: { type: 'string' } } },
    execute: ({ what }: { what?: string }) => `${what}: ${'found '.repeat(20)}`,
  });
  const env = { PEGBOARD_KEY: 'ab'.repeat(32) };
  return openBoard([], { tools: [look], data: folder, env, ...(url === undefined ? {} : { store: url }) });
}

/** An agent that makes one call in each step and then answers; `onAsk` hears of each step, and may hold it up. */
export function makeRunner(steps: number, onAsk: (step: number) => Promise<void> | undefined): Agent {
  const reply = async (step: number): Promise<string | ScriptedReply> => {
    await onAsk(step);
    return step > steps ? 'Done.' : { calls: [{ name: 'look', input: { what: `thing ${step}` } }] };
  };
  const answer = ({ options }: ScriptedRequest): Promise<string | ScriptedReply> =>
    reply(options.prompt.filter(({ role }) => role === 'assistant').length + 1);
  const model = scriptedModel(Array.from({ length: steps + 1 }, () => answer));
  return defineAgent({ name: 'runner', model, maxSteps: steps + 1 });
}

const { defineAgent, runAgent } = await loadBuilt('agent');
if (process.argv[1] === import.meta.filename) {
  const [folder = '', runs = '', steps = '', url] = process.argv.slice(2);
  const board = await openRunBoard(folder, url);
  process.once('disconnect', () => process.exit());
  const stopped = Array.from({ length: Number(runs) }, async (_, run) => {
    const reached = Promise.withResolvers<void>();
    const agent = makeRunner(Number(steps), (step) => {
      if (step <= Number(steps)) return undefined;
      reached.resolve();
      return new Promise(() => {});
    });
    void runAgent(agent, 'Look everything up.', { board, run: runIdOf(run) });
    await reached.promise;
  });
  await Promise.all(stopped);
  process.send?.('stopped');
  // Until it is killed.
  setInterval(() => undefined, 60_000);
}
