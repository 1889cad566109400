import { grow } from '../../../../vectors/grow.ts';
import { type PackedQuery, packQuery, unpackVector } from '../../../../vectors/packed-vector.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PackedRows } from '../../../../vectors/packed-rows.ts';
import { type NumberRanges, isInRanges } from '../read-documents.ts';
import { TopScores } from '../../scoring/top-scores.ts';

/** Bytes scanned without yielding to the event loop: about 2 ms with 384 dimensions. */
const BYTES_A_TURN = 12_000_000;

/** A row that may be among the nearest, with its estimated nearness. */
interface Candidate {
  readonly number: number;
  readonly estimate: number;
}

/**
 * The vectors of one collection as signed bytes in memory, in the order of their chunk numbers.
 *
 * Nearness is the dot product, minus half the row's squared length for Euclidean distance. Bytes only estimate it, but
 * the error of each row has a known bound: `search` returns every row that can be among the nearest, so comparing the
 * exact vectors of those few gives an exact result.
 */
export class CollectionVectors {
  readonly #rows: PackedRows;
  readonly #isEuclidean: boolean;
  #size = 0;
  #dead = 0;
  #numbers = new Float64Array(0);
  #scales = new Float32Array(0);
  #residuals = new Float32Array(0);
  #halfSquares = new Float32Array(0);
  /** The largest values of any row, which exclude most rows at once. */
  #maxResidual = 0;
  #maxLength = 0;

  constructor({ dimension, isEuclidean }: { readonly dimension: number; readonly isEuclidean: boolean }) {
    this.#rows = new PackedRows(dimension);
    this.#isEuclidean = isEuclidean;
  }

  get size(): number {
    return this.#size - this.#dead;
  }

  /** True if so many rows are removed that rebuilding the table is worth it. */
  get isSparse(): boolean {
    return this.#dead > 1_000 && this.#dead > this.#size / 3;
  }

  /** Adds a row; its number is higher than all before. */
  add(number: number, packed: Uint8Array): void {
    const { scale, residual, halfSquare, bytes } = unpackVector(packed);
    const slot = this.#size++;
    this.#rows.set(slot, bytes);
    if (this.#numbers.length < this.#rows.room) this.#grow();
    this.#numbers[slot] = number;
    this.#scales[slot] = scale;
    this.#residuals[slot] = residual;
    this.#halfSquares[slot] = halfSquare;
    this.#maxResidual = Math.max(this.#maxResidual, residual);
    this.#maxLength = Math.max(this.#maxLength, Math.sqrt(2 * halfSquare) + residual);
  }

  /** Removes a row. Returns false if it does not exist. */
  remove(number: number): boolean {
    const slot = this.#find(number);
    if (slot === undefined || this.#residuals[slot] === -1) return false;
    this.#residuals[slot] = -1;
    this.#dead++;
    return true;
  }

  /** Finds every row that can be among the `limit` nearest of those allowed, in no particular order. */
  async search(vector: Float32Array, scope: TableScope): Promise<Candidate[]> {
    const query = packQuery(vector);
    const size = this.#size;
    const estimates = new Float64Array(size);
    const best = new TopScores(Math.min(scope.limit, Math.max(1, size)));
    const rowsATurn = Math.max(1, Math.floor(BYTES_A_TURN / this.#rows.stride));
    for (let from = 0; from < size; from += rowsATurn) {
      if (from > 0) await nextTurn();
      scope.signal?.throwIfAborted();
      const to = Math.min(size, from + rowsATurn);
      this.#estimate(query, { from, to, estimates });
      for (let slot = from; slot < to; slot++) {
        const estimate = this.#isSelected(slot, scope.allowed) ? (estimates[slot] ?? 0) : -Infinity;
        estimates[slot] = estimate;
        if (estimate <= best.threshold) continue;
        const least = estimate - this.#error(slot, query);
        if (least > best.threshold) best.add(slot, least);
      }
    }
    const candidates: Candidate[] = [];
    const { threshold } = best;
    const hopeless = threshold - toError(query, this.#maxResidual, this.#maxLength);
    for (let slot = 0; slot < size; slot++) {
      const estimate = estimates[slot] ?? 0;
      if (estimate < hopeless || estimate === -Infinity || this.#residuals[slot] === -1) continue;
      if (estimate + this.#error(slot, query) >= threshold)
        candidates.push({ number: this.#numbers[slot] ?? 0, estimate });
    }
    return candidates;
  }

  #isSelected(slot: number, allowed: NumberRanges | undefined): boolean {
    if (this.#residuals[slot] === -1) return false;
    return allowed === undefined || isInRanges(allowed, this.#numbers[slot] ?? 0);
  }

  #estimate(query: PackedQuery, { from, to, estimates }: { from: number; to: number; estimates: Float64Array }): void {
    const sums = this.#rows.multiply(query.values, from, to);
    for (let slot = from; slot < to; slot++) {
      const dot = (sums[slot - from] ?? 0) * (this.#scales[slot] ?? 0) * query.scale;
      estimates[slot] = this.#isEuclidean ? dot - (this.#halfSquares[slot] ?? 0) : dot;
    }
  }

  #error(slot: number, query: PackedQuery): number {
    const residual = this.#residuals[slot] ?? 0;
    return toError(query, residual, Math.sqrt(2 * (this.#halfSquares[slot] ?? 0)) + residual);
  }

  #find(number: number): number | undefined {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#numbers[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return this.#numbers[low] === number && low < this.#size ? low : undefined;
  }

  #grow(): void {
    const { room } = this.#rows;
    this.#numbers = grow(this.#numbers, new Float64Array(room));
    this.#scales = grow(this.#scales, new Float32Array(room));
    this.#residuals = grow(this.#residuals, new Float32Array(room));
    this.#halfSquares = grow(this.#halfSquares, new Float32Array(room));
  }
}

export interface TableScope {
  readonly limit: number;
  readonly allowed: NumberRanges | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Returns the largest possible error of a row's estimate, with a margin for rounding. */
function toError(query: PackedQuery, residual: number, length: number): number {
  return (query.length * residual + query.residual * length + query.length * length * 1e-6) * 1.001;
}
