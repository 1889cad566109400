import type { StoreAccess, StoredLine } from '../../../platform/store/board-store.ts';
import { type ChainPoint, isSameSeal, sealOf } from './audit-chain.ts';
import { readGaps } from './audit-gaps.ts';

type Access = Pick<StoreAccess, 'space' | 'journal'>;

/**
 * The lines, oldest first, that are as they were written; those without a seal say nothing and count.
 *
 * The board signs for what it removes: a line whose time, caller or number was changed must not be signed away.
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

/** The seal of the line that comes before another one in its chain, where that is still there. */
async function sealBefore(inside: Access, { chain, place = 0, number }: StoredLine): Promise<string | undefined> {
  const [before] = await inside.journal.read({ chain, before: number, limit: 1 });
  return before?.place === place - 1 ? before.seal : undefined;
}
