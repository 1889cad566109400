import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { JournalLine } from '../../../platform/store/board-store.ts';

/** The type of the first line of a chain, which names the newest line of another chain. */
export const OPENED = 'opened';
/** The type of the last line of a chain whose process was not killed. */
export const CLOSED = 'closed';

/** A position in a chain, with the seal of its line. */
export interface ChainPoint {
  readonly chain: string;
  readonly place: number;
  readonly seal: string;
}

/** A line with its seal. */
export type SealedLine = JournalLine & ChainPoint;

/** Derives the key of a board's audit from the key of its store. */
export function toAuditKey(storeKey: Buffer): Buffer {
  return createHmac('sha256', storeKey).update('pegboard audit').digest();
}

/** Computes the seal of a line from its content, its position, and the seal of the previous line. */
export function sealOf(line: JournalLine, point: Omit<ChainPoint, 'seal'>, { key, before }: SealContext): string {
  const { at, type, call, parent = null, tool = null, caller = null, outcome = null, body } = line;
  const digest = createHash('sha256').update(JSON.stringify([at, type, call, parent, tool, caller, outcome, body]));
  return mac(key, ['line', point.chain, point.place, before, digest.digest('base64url')]);
}

/** The inputs of a seal in addition to its line. */
export interface SealContext {
  readonly key: Buffer;
  /** The seal of the previous line; empty for the first one. */
  readonly before: string;
}

/** Seals a statement that is not a line. */
export function mac(key: Buffer, statement: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(JSON.stringify(statement)).digest('base64url');
}

/** Returns true when two seals are the same. */
export function isSameSeal(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The chain of one process: the seal of each line includes the previous one. */
export class AuditChain {
  readonly id: string = randomBytes(8).toString('hex');
  readonly #key: Buffer;
  #place = 0;
  #seal = '';

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** The position of the last line that is known to be written. */
  get place(): number {
    return this.#place;
  }

  /** Seals lines in order. The seals are final once `accept` is called. */
  seal(lines: readonly JournalLine[]): SealedLine[] {
    let [place, before] = [this.#place, this.#seal];
    return lines.map((line) => {
      const point = { chain: this.id, place: ++place };
      before = sealOf(line, point, { key: this.#key, before });
      return { ...line, ...point, seal: before };
    });
  }

  /** Confirms that these lines were written. */
  accept(lines: readonly SealedLine[]): void {
    const last = lines.at(-1);
    if (last === undefined) return;
    this.#place = last.place;
    this.#seal = last.seal;
  }
}
