import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import { outputsFor } from '../../platform/outputs/output-store.ts';
import type { Tool } from '../../tool/tool.ts';

/** Results that are too long for a model: `max_model_output` of board files, and the tools that read the rest. */
export const outputs = defineFeature({
  name: 'outputs',
  sections: { max_model_output: builtInSection('max_model_output', 'last') },
  isWanted: () => true,
  async open({ max_model_output: max }, host, before?: OpenFeature<readonly Tool[]>) {
    const { outputTools } = await import('./output-tools.ts');
    // The same tools after a reload, so that listeners are only notified of changes.
    const api = before?.api ?? outputTools(host.outputs);
    return {
      api,
      // Without the tools that read them, stored texts would be useless.
      keepOutput: (text, context) =>
        host.board().registry.has('output_read') ? outputsFor(context, host.outputs).keep(text) : undefined,
      limits: { maxModelOutput: max?.value },
      equip(passed, taken) {
        const isNeeded = passed.some(({ entry }) => entry?.kind.boundsOutput !== true);
        return isNeeded && !api.some(({ metadata }) => taken.has(metadata.name)) ? api : [];
      },
    };
  },
});
