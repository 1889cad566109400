import { existsSync } from 'node:fs';
import { type ChangeOwner, changePlace } from '../../load/changes/change-place.ts';

/** A person looks at the files of a board. */
export interface FileReview {
  /** Accepts the lock with this text, and the files where they are still those that the review began with. Returns the changes that waited. */
  accept(lock: string, by: string): Promise<readonly string[]>;
}

/** Begins a review of a board's files; `undefined` where no board waits for a person. */
export async function reviewFiles(owner: ChangeOwner): Promise<FileReview | undefined> {
  if (!existsSync(changePlace(owner).folder)) return undefined;
  const { lookAtFiles } = await import('../../load/changes/look-at-files.ts');
  // Files with faults are reported when the board is opened.
  const before = await lookAtFiles(owner.given, owner).catch(() => undefined);
  return {
    async accept(text, by) {
      const { ChangeStore } = await import('../../load/changes/change-store.ts');
      const store = new ChangeStore(owner);
      store.consent('lock', text);
      const now = await lookAtFiles(owner.given, owner);
      // The person did not see changes that were saved meanwhile.
      if (now.unlockedDigest !== before?.unlockedDigest) return [];
      const changes = store.waiting?.changes ?? [];
      store.answer = { digest: now.digest, allow: true, by };
      return changes;
    },
  };
}
