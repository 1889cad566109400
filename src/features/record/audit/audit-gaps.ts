import { isPlainObject } from '../../../tool/json.ts';
import type { StoreAccess, StoredLine } from '../../../platform/store/board-store.ts';
import { isSameSeal, mac } from './audit-chain.ts';

/** The reason why lines of a chain are missing. */
export type GapReason = 'retention' | 'forgotten';

/** A signed statement that the board itself removed lines of a chain: a checkpoint from which the remaining lines are verified. */
export interface AuditGap {
  readonly chain: string;
  /** The first missing position. */
  readonly from: number;
  /** The last missing position. */
  readonly to: number;
  /** The seal of the last missing line. */
  readonly seal: string;
  readonly reason: GapReason;
  /** In milliseconds since 1970. */
  readonly at: number;
}

const SPACE = 'audit';
const PREFIX = 'gap/';

/** Reads the gaps of all chains, and the keys of records that the board did not write. */
export async function readGaps(
  store: Pick<StoreAccess, 'space'>,
  key: Buffer,
): Promise<{ readonly gaps: readonly AuditGap[]; readonly broken: readonly string[] }> {
  const gaps: AuditGap[] = [];
  const broken: string[] = [];
  for (const { key: name, value } of await store.space(SPACE).entries({ prefix: PREFIX })) {
    const gap = readGap(value, key);
    if (gap === undefined || nameOf(gap) !== name) broken.push(name);
    else gaps.push(gap);
  }
  return { gaps, broken };
}

/** Records that these lines are about to be removed; lines without a seal leave no gap. */
export async function recordGaps(
  inside: Pick<StoreAccess, 'space'>,
  lines: readonly StoredLine[],
  { key, reason }: { readonly key: Buffer; readonly reason: GapReason },
): Promise<void> {
  const space = inside.space(SPACE);
  const at = Date.now();
  for (const [chain, places] of byChain(lines)) {
    const prefix = `${PREFIX}${chain}/`;
    const known = (await space.entries({ prefix })).flatMap(({ value }) => readGap(value, key) ?? []);
    const own = known.filter((gap) => gap.reason === reason);
    const added = places.map(({ place, seal }): AuditGap => ({ chain, from: place, to: place, seal, reason, at }));
    const merged = merge([...own, ...added]);
    for (const gap of own) if (!merged.includes(gap)) await space.delete(nameOf(gap));
    for (const gap of merged) if (!own.includes(gap)) await space.set(nameOf(gap), { ...gap, mac: sign(gap, key) });
  }
}

const HORIZON = 'horizon';

/** Returns the time up to which the board removed old lines, in milliseconds since 1970; 0 if it removed none. */
export async function readHorizon(store: Pick<StoreAccess, 'space'>, key: Buffer): Promise<number> {
  const value = await store.space(SPACE).get(HORIZON);
  if (!isPlainObject(value)) return 0;
  const { at, mac: signed } = value;
  if (typeof at !== 'number' || typeof signed !== 'string') return 0;
  return isSameSeal(mac(key, ['horizon', at]), signed) ? at : 0;
}

/** Records that lines up to this time were removed. */
export async function raiseHorizon(inside: Pick<StoreAccess, 'space'>, at: number, key: Buffer): Promise<void> {
  if (at <= (await readHorizon(inside, key))) return;
  await inside.space(SPACE).set(HORIZON, { at, mac: mac(key, ['horizon', at]) });
}

/** Deletes the gaps of chains that have no lines left and that no line names. */
export async function dropGaps(
  store: Pick<StoreAccess, 'space'>,
  key: Buffer,
  isNeeded: (chain: string) => boolean,
): Promise<void> {
  const { gaps } = await readGaps(store, key);
  for (const gap of gaps) if (!isNeeded(gap.chain)) await store.space(SPACE).delete(nameOf(gap));
}

function byChain(lines: readonly StoredLine[]): Map<string, { readonly place: number; readonly seal: string }[]> {
  const chains = new Map<string, { readonly place: number; readonly seal: string }[]>();
  for (const { chain, place, seal } of lines) {
    if (chain === undefined || place === undefined || seal === undefined) continue;
    const places = chains.get(chain) ?? [];
    places.push({ place, seal });
    chains.set(chain, places);
  }
  return chains;
}

/** Joins adjacent gaps. An unchanged gap stays the same object. */
function merge(gaps: readonly AuditGap[]): AuditGap[] {
  const merged: AuditGap[] = [];
  for (const gap of gaps.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last === undefined || last.to + 1 !== gap.from) merged.push(gap);
    else merged[merged.length - 1] = { ...gap, from: last.from };
  }
  return merged;
}

function nameOf({ chain, from }: AuditGap): string {
  return `${PREFIX}${chain}/${from}`;
}

function sign({ chain, from, to, seal, reason, at }: AuditGap, key: Buffer): string {
  return mac(key, ['gap', chain, from, to, seal, reason, at]);
}

function readGap(value: unknown, key: Buffer): AuditGap | undefined {
  if (!isPlainObject(value)) return undefined;
  const { chain, from, to, seal, reason, at, mac: signed } = value;
  if (typeof chain !== 'string' || typeof seal !== 'string' || typeof signed !== 'string') return undefined;
  if (typeof from !== 'number' || typeof to !== 'number' || typeof at !== 'number') return undefined;
  if (reason !== 'retention' && reason !== 'forgotten') return undefined;
  const gap: AuditGap = { chain, from, to, seal, reason, at };
  return isSameSeal(sign(gap, key), signed) ? gap : undefined;
}
