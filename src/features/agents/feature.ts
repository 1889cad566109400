import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';

/** The agents of a board: `agents` of board files. The room `agent/` runs them. */
export const agents = defineFeature({
  name: 'agents',
  sections: { agents: builtInSection('agents', 'keys') },
  async open({ agents: settings }) {
    if (settings === undefined) return {};
    const { checkAgents } = await import('./check-agents.ts');
    return { listed: (tools, board) => checkAgents(settings, tools, board) };
  },
});
