import { join } from 'node:path';
import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';

/** Folders with instructions for kinds of work: `skills` of board files. Each skill is a tool and a resource. */
export const skills = defineFeature({
  name: 'skills',
  sections: { skills: builtInSection('skills', 'each') },
  async files({ skills: sections }, context) {
    const { loadScripts } = await import('./own-skills.ts');
    return loadScripts(sections, context);
  },
  async check({ skills: sections }) {
    const { loadSkills } = await import('./own-skills.ts');
    return loadSkills(sections).diagnostics;
  },
  async open({ skills: sections }, host) {
    const { loadSkills, skillOffers } = await import('./own-skills.ts');
    const { skills: own } = loadSkills(sections);
    return {
      tools: () => own,
      offers: skillOffers(own, (name) => host.board().registry.has(name)),
      ownFiles: () => own.map(({ skill }) => skill.folder),
      watched: () => own.map(({ skill }) => join(skill.folder, 'SKILL.md')),
      // The files of a skill may have changed.
      isStale: () => true,
    };
  },
});
