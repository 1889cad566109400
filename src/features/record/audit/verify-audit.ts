import { isPlainObject } from '../../../tool/json.ts';
import type { BoardStore, StoredLine } from '../../../platform/store/board-store.ts';
import { CLOSED, type ChainPoint, isSameSeal, OPENED, sealOf } from './audit-chain.ts';
import { type AuditGap, readGaps, readHorizon } from './audit-gaps.ts';

/** A part of the audit that differs from what the board wrote. */
export interface AuditProblem {
  readonly type: 'changed' | 'removed' | 'out of order' | 'not ours';
  readonly chain: string;
  readonly place: number;
  /** The fault, in words. */
  readonly message: string;
}

/** The result of checking the audit. */
export interface AuditReport {
  readonly ok: boolean;
  readonly problems: readonly AuditProblem[];
  /** Number of checked lines with a seal. */
  readonly lines: number;
  readonly chains: number;
  /** Number of lines without a seal: written while the audit was off, or added by another program. */
  readonly unsealed: number;
  /** Number of lines that the board itself removed and signed for. */
  readonly retired: number;
  /** Chains without an end: their process is running or was killed, or their last lines were removed. */
  readonly open: readonly string[];
}

/** A point in the sink, with the time of its line. */
export interface SinkPoint extends ChainPoint {
  readonly at: number;
}

/** Options for checking the audit. */
export interface VerifyOptions {
  readonly key: Buffer;
  /** Returns the points of the sink, which the store must have too. */
  readonly heads?: (() => AsyncIterable<SinkPoint> | Iterable<SinkPoint>) | undefined;
}

const PAGE = 1_000;
/** Maximum problems in a report. */
const MOST_TOLD = 100;

/** Checks every sealed line of a store: that none was changed, removed, moved or added. */
export async function verifyAudit(store: BoardStore, options: VerifyOptions): Promise<AuditReport> {
  const report = await verifyOnce(store, options);
  // A process may have removed old lines meanwhile, so its checkpoints are read again.
  return report.ok ? report : verifyOnce(store, options);
}

async function verifyOnce(store: BoardStore, { key, heads = () => [] }: VerifyOptions): Promise<AuditReport> {
  const { gaps, broken } = await readGaps(store, key);
  const check = new ChainCheck(key, gaps);
  for (const name of broken)
    check.note('not ours', { chain: name, place: 0 }, `the checkpoint ${name} is not signed by this board`);
  // No board assigns such numbers: these lines would otherwise be ignored.
  for (const { chain = '', place = 0, call, number, written } of await store.journal.read({
    strange: true,
    limit: MOST_TOLD + 1,
  }))
    check.note(
      'not ours',
      { chain, place },
      `a line of the call ${call} has the number ${written?.number ?? number}, which no board assigns`,
    );
  for await (const line of readLines(store, { outcome: OPENED })) check.expectNamed(line);
  const horizon = await readHorizon(store, key);
  for await (const head of heads()) check.expectSunk(head, horizon);
  for await (const line of readLines(store, {})) check.take(line);
  return check.finish();
}

async function* readLines(store: BoardStore, query: { readonly outcome?: string }): AsyncGenerator<StoredLine> {
  let after = 0;
  for (;;) {
    const lines = await store.journal.read({ ...query, after, order: 'oldest', limit: PAGE });
    yield* lines;
    const last = lines.at(-1);
    if (last === undefined || lines.length < PAGE) return;
    after = last.number;
  }
}

interface Expectation {
  readonly seal: string;
  /** The line that names it. */
  readonly by: string;
  /** True when the board may have removed the whole chain, including its checkpoint. */
  readonly isOld: boolean;
}

interface ChainState {
  place: number;
  /** The expected seal; `undefined` after missing lines. */
  seal: string | undefined;
  isClosed: boolean;
}

class ChainCheck {
  readonly #key: Buffer;
  readonly #gaps = new Map<string, Map<number, AuditGap>>();
  readonly #chains = new Map<string, ChainState>();
  /** Points that other lines name, by chain and position. */
  readonly #expected = new Map<string, Map<number, Expectation>>();
  /** The newest position of each chain in the sink. */
  readonly #sunk = new Map<string, number>();
  readonly #problems: AuditProblem[] = [];
  #problemCount = 0;
  #lines = 0;
  #unsealed = 0;
  #retired = 0;

  constructor(key: Buffer, gaps: readonly AuditGap[]) {
    this.#key = key;
    for (const gap of gaps) {
      this.#retired += gap.to - gap.from + 1;
      const own = this.#gaps.get(gap.chain) ?? new Map<number, AuditGap>();
      this.#gaps.set(gap.chain, own.set(gap.from, gap));
    }
  }

  note(type: AuditProblem['type'], { chain, place }: Omit<ChainPoint, 'seal'>, message: string): void {
    this.#problemCount++;
    if (this.#problems.length < MOST_TOLD) this.#problems.push({ type, chain, place, message });
  }

  /** Registers the line that the first line of a chain names. */
  expectNamed({ body, chain = '' }: StoredLine): void {
    const after = readAfter(body);
    if (after !== undefined) this.expect(after, `the chain ${chain}`);
  }

  expect({ chain, place, seal }: ChainPoint, by: string, isOld = false): void {
    const own = this.#expected.get(chain) ?? new Map<number, Expectation>();
    this.#expected.set(chain, own.set(place, { seal, by, isOld }));
  }

  /** Registers a line of the sink. The newest line of each chain is enough, because it proves the earlier ones. */
  expectSunk(point: SinkPoint, horizon: number): void {
    const newest = this.#sunk.get(point.chain);
    if (newest !== undefined && newest >= point.place) return;
    if (newest !== undefined) this.#expected.get(point.chain)?.delete(newest);
    this.#sunk.set(point.chain, point.place);
    this.expect(point, 'the sink', point.at <= horizon);
  }

  take(line: StoredLine): void {
    const { chain, place, seal, type } = line;
    if (chain === undefined || place === undefined || seal === undefined) {
      this.#unsealed++;
      return;
    }
    this.#lines++;
    if (line.written !== undefined) {
      const { at, place: shown } = line.written;
      const what = `line ${line.number} has other digits than were written: time ${at}, place ${shown}`;
      this.note('changed', { chain, place }, what);
    }
    const state = this.#chains.get(chain) ?? { place: 0, seal: '', isClosed: false };
    this.#chains.set(chain, state);
    this.#skipGaps(chain, state, place);
    if (place <= state.place) {
      this.note(
        'out of order',
        { chain, place },
        `line ${line.number} comes after place ${state.place} of its chain: it was moved, or exists twice`,
      );
      return;
    }
    if (place > state.place + 1) {
      this.#tellMissing(chain, state.place + 1, place - 1);
      state.seal = undefined;
    }
    const isProven =
      state.seal === undefined ||
      isSameSeal(seal, sealOf(line, { chain, place }, { key: this.#key, before: state.seal }));
    if (!isProven) this.note('changed', { chain, place }, `line ${line.number} is not what was written`);
    this.#meet({ chain, place, seal });
    state.place = place;
    state.seal = seal;
    state.isClosed = type === CLOSED;
  }

  finish(): AuditReport {
    for (const [chain, named] of this.#expected)
      for (const [place, { by, isOld }] of named)
        if (!this.#isRetired(chain, place)) {
          const last = this.#chains.get(chain)?.place ?? 0;
          if (isOld && last === 0) continue;
          const what = last === 0 ? 'the whole chain was removed' : `the chain ends at place ${last}`;
          this.note('removed', { chain, place }, `${by} names place ${place}, and ${what}`);
        }
    const open = [...this.#chains].flatMap(([chain, { isClosed }]) => (isClosed ? [] : [chain]));
    return {
      ok: this.#problemCount === 0,
      problems: this.#problems,
      lines: this.#lines,
      chains: this.#chains.size,
      unsealed: this.#unsealed,
      retired: this.#retired,
      open,
    };
  }

  #skipGaps(chain: string, state: ChainState, place: number): void {
    const gaps = this.#gaps.get(chain);
    for (let gap = gaps?.get(state.place + 1); gap !== undefined && gap.to < place; gap = gaps?.get(state.place + 1)) {
      state.place = gap.to;
      state.seal = gap.seal;
    }
  }

  #tellMissing(chain: string, from: number, to: number): void {
    const what =
      from === to ? `the line at place ${from} is missing` : `the lines at places ${from} to ${to} are missing`;
    this.note('removed', { chain, place: from }, what);
  }

  /** Compares a line with the statements of others about it. */
  #meet({ chain, place, seal }: ChainPoint): void {
    const named = this.#expected.get(chain);
    const known = named?.get(place);
    if (named === undefined || known === undefined) return;
    named.delete(place);
    if (!isSameSeal(known.seal, seal))
      this.note('changed', { chain, place }, `${known.by} has another line at place ${place}`);
  }

  #isRetired(chain: string, place: number): boolean {
    const gaps = this.#gaps.get(chain)?.values() ?? [];
    return [...gaps].some(({ from, to }) => from <= place && place <= to);
  }
}

/** Reads the point that the first line of a chain names. */
export function readAfter(body: string): ChainPoint | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isPlainObject(parsed) ? toPoint(parsed['after']) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a point of a chain from untrusted data; `undefined` for anything else. */
export function toPoint(value: unknown): ChainPoint | undefined {
  if (!isPlainObject(value)) return undefined;
  const { chain, place, seal } = value;
  if (typeof chain !== 'string' || typeof place !== 'number' || typeof seal !== 'string') return undefined;
  return { chain, place, seal };
}
