import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';

/** Serving a board to MCP clients: `serve` of board files. `pegboard serve` reads it when it starts, and after a reload. */
export const serving = defineFeature({
  name: 'serving',
  sections: { serve: builtInSection('serve', 'each') },
  async open({ serve: sections }) {
    const { checkPatterns } = await import('../../load/features/tool-patterns.ts');
    return {
      listed: (_, board) =>
        sections.flatMap((section) => {
          const { tokens = [], oauth } = section.value;
          const lists = [
            ...tokens.map(({ allow }, index) => [['tokens', index, 'allow'], allow] as const),
            ...Object.entries(oauth?.scopes ?? {}).map(([name, rules]) => [['oauth', 'scopes', name], rules] as const),
          ];
          return checkPatterns(section, lists, board);
        }),
    };
  },
  commands: {
    ...inGroup('Servers', {
      bundle: {
        summary: 'Pack the board into a .mcpb file for hosts',
        load: () => import('./commands/bundle/bundle.ts'),
      },
      publish: { summary: 'Print the entry for the MCP registry', load: () => import('./commands/publish/publish.ts') },
    }),
    ...inGroup('Operate', {
      serve: { summary: 'Serve the tools to MCP clients', load: () => import('./commands/serve/serve.ts') },
      stop: { summary: 'Stop the running board of this folder', load: () => import('./commands/stop/stop.ts') },
    }),
  },
});
