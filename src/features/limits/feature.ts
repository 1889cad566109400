import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';

/** Limits for a call's arguments: `max_values` of board files. */
export const limits = defineFeature({
  name: 'limits',
  sections: { max_values: builtInSection('max_values', 'last') },
  open: ({ max_values: max }) => ({ limits: { maxValues: max?.value } }),
});
