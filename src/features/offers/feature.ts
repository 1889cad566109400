import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';

/** The board's own prompts and resources: `prompts` and `resources` of board files. */
export const offers = defineFeature({
  name: 'offers',
  sections: {
    prompts: builtInSection('prompts', 'each'),
    resources: builtInSection('resources', 'each'),
  },
  async check({ prompts, resources }) {
    const { checkOffers } = await import('./check-offers.ts');
    return checkOffers(prompts, resources);
  },
  async open(sections, host) {
    const { openOffers } = await import('./open-offers.ts');
    return { offers: openOffers(sections, host) };
  },
});
