import { builtInSection } from '../../load/features/built-in-section.ts';
import { inGroup } from '../../load/features/feature-command.ts';
import { defineFeature } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { BoardRuns } from '../../platform/runs/board-runs.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';

/** The agents of a board and their durable runs: `agents` of board files. The code in `agent/` runs them. */
export const agents = defineFeature({
  name: 'agents',
  sections: { agents: builtInSection('agents', 'keys') },
  // Agents defined in code have durable runs too.
  isWanted: () => true,
  async open({ agents: settings }, host, before?: OpenFeature<BoardRuns>) {
    const api = before?.api ?? openRuns(() => host.board().sealed);
    if (settings === undefined) return { api };
    const { checkAgents } = await import('./check-agents.ts');
    return { api, listed: (tools, board) => checkAgents(settings, tools, board) };
  },
  commands: inGroup('Agents', {
    agent: { summary: 'Chat with an agent that uses the tools', load: () => import('./commands/agent.ts') },
    agents: { summary: 'List the agents of the board', load: () => import('./commands/agents.ts') },
    'runs list': { summary: "List the board's agent runs", load: () => import('./commands/runs.ts') },
    'runs show': { summary: 'Show a run with its steps and calls', load: () => import('./commands/runs.ts') },
    'runs resume': {
      summary: 'Resume a run after a crash or an approval',
      load: () => import('./commands/runs-resume.ts'),
    },
    'runs cancel': { summary: 'Cancel a run', load: () => import('./commands/runs.ts') },
  }),
});

/** Opens the runs in a store. Loads the code on first use. */
function openRuns(store: () => SealedStore): BoardRuns {
  const open = async (): Promise<BoardRuns> => new (await import('../../platform/runs/run-store.ts')).RunStore(store());
  return {
    list: async (options) => (await open()).list(options),
    get: async (id) => (await open()).get(id),
    cancel: async (id, options) => (await open()).cancel(id, options),
    open: async (id, start) => (await open()).open(id, start),
    end: async (run, state, end) => (await open()).end(run, state, end),
  };
}
