import type { PolicySection } from '../../guard/policy/policy-section.ts';
import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import type { Section } from '../../load/features/section.ts';
import { containerPrefix, openPolicy } from './open-policy.ts';

/** The sections with rules for calls: the rules of each file apply, and can only restrict. */
export const policySections = {
  // The schema of board files, and that of CLImax policy files, which also have an executor.
  policy: builtInSection('policy', 'each') as Section<PolicySection, 'each'>,
};

/** Rules for tools, arguments and approvals: `policy` of board files, and the places of the board that no tool may access. */
export const policy = defineFeature({
  name: 'policy',
  sections: policySections,
  // The board's places are closed to its tools even without a policy.
  isWanted: () => true,
  async check({ policy: sections }, context) {
    // A container has other files.
    if (containerPrefix(sections, context.env).length > 0) return [];
    const { checkDataPlace } = await import('./check-data-place.ts');
    return checkDataPlace(context);
  },
  open: ({ policy: sections }, host) => openPolicy(sections, host),
});
