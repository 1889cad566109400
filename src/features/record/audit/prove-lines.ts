import type { StoreAccess, StoredLine } from '../../../platform/store/board-store.ts';
import { type ChainPoint, isSameSeal, sealOf } from './audit-chain.ts';
import { readGaps } from './audit-gaps.ts';

type Access = Pick<StoreAccess, 'space' | 'journal'>;

/**
 * Finds lines, oldest first, that are unchanged; lines without a seal count as unchanged.
 *
 * The board signs what it removes: a line whose time, caller or number was changed must not be covered by such a signature.
 */
export async function proveLines(
  inside: Access,
  lines: readonly StoredLine[],
  key: Buffer,
): Promise<ReadonlySet<StoredLine>> {
  const { gaps } = await readGaps(inside, key);
  const removed = new Map(gaps.map(({ chain, to, seal }) => [`${chain} ${to}`, seal]));
  const last = new Map<string, ChainPoint>();
  const proven = new Set<StoredLine>();
  for (const line of lines) {
    const { chain, place, seal } = line;
    if (chain === undefined || place === undefined || seal === undefined) {
      proven.add(line);
      continue;
    }
    const known = last.get(chain);
    const near = known?.place === place - 1 ? known.seal : removed.get(`${chain} ${place - 1}`);
    const before = place === 1 ? '' : (near ?? (await sealBefore(inside, line)));
    last.set(chain, { chain, place, seal });
    if (
      line.written === undefined &&
      before !== undefined &&
      isSameSeal(seal, sealOf(line, { chain, place }, { key, before }))
    )
      proven.add(line);
  }
  return proven;
}

/** Returns the seal of the previous line in a chain, if that still exists. */
async function sealBefore(inside: Access, { chain, place = 0, number }: StoredLine): Promise<string | undefined> {
  const [before] = await inside.journal.read({ chain, before: number, limit: 1 });
  return before?.place === place - 1 ? before.seal : undefined;
}
