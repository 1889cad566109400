import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';

/** Serving a board to MCP clients: `serve` of board files. `pegboard serve` reads it when it starts, and after a reload. */
export const serving = defineFeature({
  name: 'serving',
  sections: { serve: builtInSection('serve', 'each') },
  open: () => ({}),
});
