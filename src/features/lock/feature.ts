import { builtInSection } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import { type LockApi, openLock } from './open-lock.ts';

/** Pins of tools and texts: `lock` of board files, and the `pegboard.lock` next to them. */
export const lock = defineFeature({
  name: 'lock',
  sections: { lock: builtInSection('lock', 'last') },
  // A lock next to the files applies even without the section.
  isWanted: () => true,
  open: ({ lock: mode }, host, before?: OpenFeature<LockApi>) => openLock(mode?.value, host, before?.api),
  commands: inGroup('Servers', {
    lock: { summary: 'Pin every tool, or show what changed', load: () => import('./commands/lock.ts') },
  }),
});
