import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';

/** Serving a board to MCP clients: `serve` of board files. `pegboard serve` reads it when it starts, and after a reload. */
export const serving = defineFeature({
  name: 'serving',
  sections: { serve: builtInSection('serve', 'each') },
  open: () => ({}),
  builtInCommands: {
    ...inGroup('Servers', {
      bundle: {
        summary: 'Pack the board into a .mcpb file for hosts',
        load: () => import('./commands/bundle/bundle.ts'),
      },
      publish: { summary: 'Print the entry for the MCP registry', load: () => import('./commands/publish/publish.ts') },
    }),
    ...inGroup('Operate', {
      serve: { summary: 'Serve the tools to MCP clients', load: () => import('./commands/serve/serve.ts') },
    }),
  },
});
