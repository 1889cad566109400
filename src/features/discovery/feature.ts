import { builtInSection } from '../../load/features/built-in-section.ts';
import { inGroup } from '../../load/features/feature-command.ts';
import { defineFeature } from '../../load/features/feature.ts';
import type { StandingBoard } from '../../load/features/feature-host.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { Tool } from '../../tool/tool.ts';
import type { BoardDiscovery } from './board-discovery.ts';
import { lock } from '../lock/feature.ts';
import { type DiscoveryTools, toDiscoverySettings } from './discovery-settings.ts';

/** The index over the tools of a board and the tools that search it: `discovery` of board files. */
export const discovery = defineFeature({
  name: 'discovery',
  // The pinned tools of all files are combined.
  sections: { discovery: builtInSection('discovery', 'each') },
  needs: [lock],
  isWanted: () => true,
  async check({ discovery: sections }, { drivers }) {
    if (sections.every(({ value }) => value.embedder === undefined)) return [];
    const { checkEmbedder } = await import('./check-discovery.ts');
    return checkEmbedder(sections, drivers.embedders);
  },
  async open({ discovery: sections }, host, before?: OpenFeature<BoardDiscovery>) {
    const settings = toDiscoverySettings(sections);
    const [{ BoardDiscovery }, { checkPinned }, { openQueries }, createMetaTools] = await Promise.all([
      import('./board-discovery.ts'),
      import('./check-discovery.ts'),
      import('./board-queries.ts'),
      loadMetaTools(settings.tools),
    ]);
    const queries = openQueries(host.cwd, host.feature(lock));
    const api = new BoardDiscovery(settings, { host, queries, createMetaTools, before: before?.api });
    return {
      api,
      pins: (list) => ({ queries: queries.of(list).pins }),
      equip: (passed, _, list) => queries.choose(passed, list),
      ownFiles: (list) => [queries.of(list).file],
      complete: (tools, files) => api.complete(tools, files),
      started: () => api.follow(),
      ready: () => api.settled(),
      listed: (tools, board) => checkPinned(sections, tools, board),
      ...(settings.learn ? { hooks: { after: (call) => api.notice(call) } } : {}),
      close: () => api.close(),
    };
  },
  commands: {
    ...inGroup('Tools', {
      search: { summary: 'Find tools by what they do', load: () => import('./commands/search.ts') },
      tokens: { summary: 'Show what the tools cost in a prompt', load: () => import('./commands/tokens.ts') },
    }),
    ...inGroup('Agents', {
      eval: { summary: 'Measure how well searches find tools', load: () => import('./commands/eval/eval.ts') },
      enrich: {
        summary: 'Let a model write search queries for the tools',
        load: () => import('./commands/enrich/enrich.ts'),
      },
      learned: {
        summary: 'List or delete what the board learned from calls',
        load: () => import('./commands/learned.ts'),
      },
    }),
  },
});

async function loadMetaTools(wanted: DiscoveryTools = false): Promise<(board: StandingBoard) => readonly Tool[]> {
  if (wanted === false) return () => [];
  if (wanted === 'code') return (await import('../../code/code-tools.ts')).createCodeTools;
  const { createDiscoveryTools } = await import('../../discovery/meta-tools/create-discovery-tools.ts');
  return (board) => createDiscoveryTools(board, wanted === 'climax' ? { compat: 'climax' } : {});
}
