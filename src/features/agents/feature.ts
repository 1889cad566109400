import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';

/** The agents of a board: `agents` of board files. The room `agent/` runs them. */
export const agents = defineFeature({
  name: 'agents',
  sections: { agents: builtInSection('agents', 'keys') },
  async open({ agents: settings }) {
    if (settings === undefined) return {};
    const { checkAgents } = await import('./check-agents.ts');
    return { listed: (tools, board) => checkAgents(settings, tools, board) };
  },
  builtInCommands: inGroup('Agents', {
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
