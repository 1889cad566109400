import type {
  BoardStore,
  JournalRemoval,
  StoreAccess,
  StoredLine,
  StoreTransaction,
} from '../../platform/store/board-store.ts';
import { type ChainPoint, isSameSeal, OPENED, sealOf } from './audit/audit-chain.ts';
import { dropGaps, type GapReason, raiseHorizon, readGaps, recordGaps } from './audit/audit-gaps.ts';
import { readAfter } from './audit/verify-audit.ts';

/** Lines deleted by one transaction. */
const AT_ONCE = 2_000;

/** The lines to delete. */
interface OldLines {
  /** In milliseconds since 1970. */
  readonly before: number;
  readonly maxLines: number;
  /** Approximate maximum bytes of all lines. Default: no limit. */
  readonly maxSize?: number;
  /** Returns the audit's key, for sealed lines. */
  readonly key: () => Promise<Buffer>;
}

/** Deletes lines that are too old or too many, and leaves a signed checkpoint for sealed ones. Returns the number of deleted lines. */
export async function removeOldLines(store: BoardStore, { before, maxLines, maxSize, key }: OldLines): Promise<number> {
  const most = maxSize === undefined ? maxLines : Math.min(maxLines, await countOf(store, maxSize));
  const cut = await findCut(store, most);
  const removal: Removal = {
    key,
    reason: 'retention',
    // Numbers increase nearly with time: old lines are at the beginning, and no others need to be read.
    find: async (inside) => {
      const lines = await inside.journal.read({ order: 'oldest', limit: AT_ONCE });
      const end = lines.findIndex(({ at, number }) => at >= before && number > cut);
      return end === -1 ? lines : lines.slice(0, end);
    },
    which: (last) => ({ upTo: last.number }),
  };
  return removeInTurns(store, removal);
}

/** Deletes the lines of one caller, and leaves a signed note for sealed ones. Returns the number of deleted lines. */
export function removeCaller(store: BoardStore, caller: string, key: () => Promise<Buffer>): Promise<number> {
  return removeInTurns(store, {
    key,
    reason: 'forgotten',
    find: (inside) => inside.journal.read({ caller, order: 'oldest', limit: AT_ONCE }),
    which: (last) => ({ caller, upTo: last.number }),
  });
}

/** Returns the number up to which lines exceed the limits. */
async function findCut(store: BoardStore, maxLines: number): Promise<number> {
  const [newest] = await store.journal.read({ limit: 1 });
  const [oldest] = await store.journal.read({ order: 'oldest', limit: 1 });
  const [first, last] = [oldest?.number ?? 0, newest?.number ?? 0];
  if (last - first < maxLines) return 0;
  // A single line with a huge number would make all others look surplus, so lines are counted.
  return first - 1 + Math.max(0, (await store.status()).lines - maxLines);
}

/** Lines in each sample from which the total size is estimated. */
const SAMPLE = 300;
/** Bytes that a line takes in addition to its body, including its indexes. */
const AROUND = 250;
/** Maximum bytes of a line that a board writes; a line of another program must not make all lines look large. */
const LARGEST = 100_000;

/**
 * Estimates how many lines fit into a number of bytes, by the average of the oldest, the newest and some in the middle, because adding up
 * all sizes would take too long.
 */
async function countOf({ journal }: BoardStore, size: number): Promise<number> {
  const oldest = await journal.read({ order: 'oldest', limit: SAMPLE });
  const newest = await journal.read({ limit: SAMPLE });
  const middle = Math.floor(((oldest[0]?.number ?? 0) + (newest[0]?.number ?? 0)) / 2);
  const others = await journal.read({ order: 'oldest', after: middle, limit: SAMPLE });
  const lines = new Map([...oldest, ...newest, ...others].map((line) => [line.number, line.body.length]));
  let bytes = 0;
  for (const length of lines.values()) bytes += Math.min(length + AROUND, LARGEST);
  return bytes === 0 ? Infinity : Math.max(1, Math.floor((size * lines.size) / bytes));
}

interface Removal {
  readonly key: () => Promise<Buffer>;
  readonly reason: GapReason;
  readonly find: (inside: Pick<StoreTransaction, 'journal'>) => Promise<StoredLine[]>;
  readonly which: (last: StoredLine) => JournalRemoval;
}

async function removeInTurns(store: BoardStore, { key, reason, find, which }: Removal): Promise<number> {
  let removed = 0;
  let sealed = false;
  for (;;) {
    // Usually there is nothing to delete, which needs no transaction; the key must be read before one.
    const found = await find(store);
    if (found.length === 0) break;
    const hasSeals = found.some(({ seal }) => seal !== undefined);
    const opened = hasSeals ? await key() : undefined;
    sealed ||= hasSeals;
    const gone = await store.transaction(async (inside) => {
      const lines = await find(inside);
      if (opened === undefined && lines.some(({ seal }) => seal !== undefined)) return 0;
      const proven = opened === undefined ? undefined : await proveLines(inside, lines, opened);
      const end = lines.findIndex((line) => proven?.has(line) === false);
      // Modified lines stay, so that they are noticed; if a person requests the deletion, they are deleted too, without a signature.
      const removed = end === -1 || reason === 'forgotten' ? lines : lines.slice(0, end);
      const last = removed.at(-1);
      if (last === undefined) return 0;
      if (opened !== undefined) {
        const signed = removed.filter((line) => proven?.has(line) === true);
        await recordGaps(inside, signed, { key: opened, reason });
        if (reason === 'retention') await raiseHorizon(inside, Math.max(...signed.map(({ at }) => at)), opened);
      }
      return inside.journal.remove(which(last));
    });
    removed += gone;
    if (found.length < AT_ONCE || gone === 0) break;
  }
  if (sealed && reason === 'retention') await tidyGaps(store, await key());
  return removed;
}

/** Deletes checkpoints of chains that are completely gone, once no other chain refers to them. */
async function tidyGaps(store: BoardStore, key: Buffer): Promise<void> {
  const needed = new Set<string>();
  const opened = await store.journal.read({ outcome: OPENED, limit: 100_000 });
  for (const { body } of opened) {
    const after = readAfter(body);
    if (after !== undefined) needed.add(after.chain);
  }
  const isThere = new Map<string, boolean>();
  const { gaps } = await readGaps(store, key);
  for (const { chain } of gaps) {
    if (isThere.has(chain)) continue;
    isThere.set(chain, (await store.journal.read({ chain, limit: 1 })).length > 0);
  }
  await dropGaps(store, key, (chain) => needed.has(chain) || isThere.get(chain) !== false);
}

type Access = Pick<StoreAccess, 'space' | 'journal'>;

/**
 * Finds lines, oldest first, that are unchanged; lines without a seal count as unchanged.
 *
 * The board signs what it removes: a line whose time, caller or number was changed must not be covered by such a signature.
 */
async function proveLines(inside: Access, lines: readonly StoredLine[], key: Buffer): Promise<ReadonlySet<StoredLine>> {
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
