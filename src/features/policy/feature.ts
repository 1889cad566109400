import type { PolicySection } from '../../guard/policy/policy-section.ts';
import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import type { Section } from '../../load/features/section.ts';
import { containerPrefix, openPolicy } from './open-policy.ts';

/** The sections with rules on calls: each file's rules hold, and can only take away. */
export const policySections = {
  // The schema of board files, and that of CLImax policy files, which have an executor too.
  policy: builtInSection('policy', 'each') as Section<PolicySection, 'each'>,
};

/** Rules on what may be called with what: `policy` of board files, and the places of the board that no tool may reach. */
export const policy = defineFeature({
  name: 'policy',
  sections: policySections,
  // The places of the board are closed to its tools without a policy too.
  isWanted: () => true,
  async check({ policy: sections }, context) {
    // A container has other files.
    if (containerPrefix(sections, context.env).length > 0) return [];
    const { checkDataPlace } = await import('./check-data-place.ts');
    return checkDataPlace(context);
  },
  open: ({ policy: sections }, host) => openPolicy(sections, host),
});
