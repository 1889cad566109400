import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { BoardKnowledge } from './board-knowledge.ts';

/** The collections of a board: `rag` of board files. Tools of the kind `rag` search and store in them. */
export const knowledge = defineFeature({
  name: 'knowledge',
  // Servers and collections are joined by name; of any other setting the last file counts.
  sections: { rag: builtInSection('rag', 'each') },
  // A tool may use a collection that no section names.
  isWanted: () => true,
  async check({ rag }, { files, drivers, addSecrets }) {
    const { knowledgeSecrets, readKnowledge } = await import('./read-knowledge.ts');
    const { plan, diagnostics } = readKnowledge(rag, files, drivers);
    addSecrets(knowledgeSecrets(plan.collections.values()));
    return diagnostics;
  },
  async open({ rag }, host, before?: OpenFeature<BoardKnowledge>) {
    const [{ BoardKnowledge }, { readKnowledge }] = await Promise.all([
      import('./board-knowledge.ts'),
      import('./read-knowledge.ts'),
    ]);
    const { plan } = readKnowledge(rag, host.files, host.drivers);
    const api = new BoardKnowledge({ plan, data: host.data, base: host.folder }, before?.api);
    return {
      api,
      // The collections that tools use may have changed.
      isStale: () => true,
      close: () => api.close(),
    };
  },
});
