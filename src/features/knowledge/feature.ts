import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { KnowledgePlan } from '../../knowledge/plan/plan-knowledge.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { BoardKnowledge } from './board-knowledge.ts';

/** The collections of a board: `rag` of board files. Tools of the kind `rag` search them and store notes in them. */
export const knowledge = defineFeature({
  name: 'knowledge',
  // Servers and collections are joined by name.
  sections: { rag: builtInSection('rag', 'each') },
  // A tool may use a collection that no section names.
  isWanted: () => true,
  async check({ rag }, { files, drivers, addSecrets }) {
    if (!hasCollections(rag, files)) return [];
    const { knowledgeSecrets, readKnowledge } = await import('./read-knowledge.ts');
    const { plan, diagnostics } = readKnowledge(rag, files, drivers);
    addSecrets(knowledgeSecrets(plan.collections.values()));
    return diagnostics;
  },
  async open({ rag }, host, before?: OpenFeature<BoardKnowledge>) {
    const { BoardKnowledge } = await import('./board-knowledge.ts');
    let planned: Promise<KnowledgePlan> | undefined;
    const plan = (): Promise<KnowledgePlan> =>
      (planned ??= import('./read-knowledge.ts').then(
        ({ readKnowledge }) => readKnowledge(rag, host.files, host.drivers).plan,
      ));
    // Most boards have no collections: they are planned only if a tool or command requests one.
    const known = hasCollections(rag, host.files) ? await plan() : undefined;
    const api = new BoardKnowledge({ plan, data: host.data, base: host.folder }, before?.api);
    return {
      api,
      kindHost: { knowledge: api.open },
      kindKey: { plan: known, data: host.data, base: host.folder },
      // The collections that tools use may have changed.
      isStale: () => true,
      close: () => api.close(),
    };
  },
  commands: inGroup('Knowledge', {
    'rag index': {
      summary: 'Bring a collection up to date with files',
      load: () => import('./commands/rag-index.ts'),
    },
    'rag search': { summary: 'Find passages of a collection', load: () => import('./commands/rag-search.ts') },
    'rag store': { summary: 'Store a text in a collection', load: () => import('./commands/rag-store.ts') },
    'rag status': { summary: 'Show what the collections contain', load: () => import('./commands/rag-status.ts') },
    'rag eval': {
      summary: 'Measure how well searches find passages',
      load: () => import('./commands/eval/rag-eval.ts'),
    },
    'rag watch': { summary: 'Index files whenever they change', load: () => import('./commands/rag-watch.ts') },
    'rag reindex': {
      summary: 'Rebuild a collection, for new settings or another embedder',
      load: () => import('./commands/rag-index.ts'),
    },
    'rag copy': {
      summary: 'Copy collections from one store to another',
      load: () => import('./commands/rag-collections.ts'),
    },
    'rag clear': {
      summary: 'Delete everything in a collection',
      load: () => import('./commands/rag-collections.ts'),
    },
  }),
});

/** Returns true when a file has a section for collections, or a tool that uses one. */
function hasCollections(sections: readonly unknown[], files: readonly LoadedFile[]): boolean {
  const entries = files.flatMap((file) => file.entries);
  return (
    sections.length > 0 || entries.some((entry) => entry.kind.uses(entry).some(({ type }) => type === 'collection'))
  );
}
