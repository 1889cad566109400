import { existsSync } from 'node:fs';
import { type ChangeOwner, changePlace } from '../../load/changes/change-place.ts';
import type { ChangeStore, StoredChange } from '../../load/changes/change-store.ts';
import type { ConsentType } from '../../load/changes/consent.ts';
import type { BoardChanges, WaitingChange } from '../../guard/approval/waiting-change.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import { watchFiles } from '../watch-files.ts';
import { ToolError } from '../../tool/tool-error.ts';

/** Opens the changes of a board. */
export function openBoardChanges(owner: ChangeOwner): BoardChanges {
  const place = changePlace(owner);
  const list = async (): Promise<readonly WaitingChange[]> => {
    const found = await readStored(owner);
    return found === undefined ? [] : [found];
  };
  return {
    list,
    async answer(id, { allow, by }) {
      const store = await openStore(owner);
      const stored = store.waiting;
      if (stored?.id !== id) {
        const message = `There is no waiting change "${id}". The files may have changed since: see pegboard approvals list`;
        throw new ToolError({ code: 'not_found', message });
      }
      store.answer = { digest: stored.digest, allow, by };
      return toShown({ ...stored, status: allow ? 'waiting' : 'refused', by: allow ? undefined : by });
    },
    watch: (listener) =>
      watchFiles(
        () => [place.waiting, place.answer],
        async () => listener(),
      ),
  };
}

/** Returns true when a change of these files waits for a person at a board. */
export function hasWaitingChange(owner: ChangeOwner): boolean {
  return existsSync(changePlace(owner).waiting);
}

/** Returns the change that waits at a board, without opening anything when there is none. */
async function readStored(owner: ChangeOwner): Promise<WaitingChange | undefined> {
  if (!hasWaitingChange(owner)) return undefined;
  const { waiting, answer } = await openStore(owner);
  if (waiting === undefined) return undefined;
  // The board may not have seen the answer yet.
  const isRefused = answer?.digest === waiting.digest && !answer.allow;
  return toShown(isRefused ? { ...waiting, status: 'refused', by: answer.by } : waiting);
}

function toShown({ id, changes, status, since, by }: StoredChange): WaitingChange {
  return { id, changes, status, since, ...(by === undefined ? {} : { by }) };
}

async function openStore(owner: ChangeOwner): Promise<ChangeStore> {
  const { ChangeStore: Store } = await import('../../load/changes/change-store.ts');
  return new Store(owner);
}

/** Notes what is written into the files with the consent of a person: the process of the board takes it over without another question. */
export async function noteConsent(owner: ChangeOwner, type: ConsentType, written: unknown): Promise<void> {
  // No board of this user waits for anyone.
  if (owner.given.length === 0 || !existsSync(changePlace(owner).folder)) return;
  (await openStore(owner)).consent(type, written);
}

/** Returns the warning about a change that waits at a board. */
export async function warnOfWaiting(owner: ChangeOwner): Promise<Diagnostic[]> {
  const change = owner.given.length === 0 ? undefined : await readStored(owner).catch(() => undefined);
  return change === undefined ? [] : [toWarning(change, owner)];
}

export function toWarning(change: WaitingChange, { given: [file = ''] }: Pick<ChangeOwner, 'given'>): Diagnostic {
  return { severity: 'warning', file, path: [], message: explainChange(change) };
}

/** Describes a change that waits, and the commands that answer it. */
export function explainChange({ id, changes, status, by }: WaitingChange): string {
  const first =
    status === 'refused'
      ? `was changed, and ${by ?? 'a person'} refused the change (${id}), so the board uses the files from before:`
      : `was changed, and the change waits for a person (${id}), so the board uses the files from before:`;
  const last =
    status === 'refused'
      ? `Undo the change, or accept it with: pegboard approvals allow ${id}`
      : `Accept it with: pegboard approvals allow ${id}`;
  return [first, ...changes.map((one) => `- ${one}`), last].join('\n');
}
