import { PackedRows } from './packed-rows.ts';
import { packQuery, packVector, unpackVector } from './packed-vector.ts';

/** Vectors by slot, with a fast product with a query: 17,000 vectors of 384 numbers take 7 MB and about a millisecond. */
export class VectorTable {
  readonly #rows: PackedRows;
  #scales = new Float32Array(0);
  #used = 0;

  constructor(dimension: number) {
    this.#rows = new PackedRows(dimension);
  }

  set(slot: number, vector: Float32Array): void {
    const { bytes, scale } = unpackVector(packVector(vector));
    this.#rows.set(slot, bytes);
    this.#used = Math.max(this.#used, slot + 1);
    if (this.#scales.length < this.#rows.room) {
      const scales = new Float32Array(this.#rows.room);
      scales.set(this.#scales);
      this.#scales = scales;
    }
    this.#scales[slot] = scale;
  }

  /** Empties a slot: its product becomes 0. */
  clear(slot: number): void {
    if (slot < this.#used) this.#scales[slot] = 0;
  }

  /** Returns the product of a vector with the vector of each slot. */
  multiply(vector: Float32Array): Float32Array {
    const query = packQuery(vector);
    const sums = this.#rows.multiply(query.values, 0, this.#used);
    const products = new Float32Array(this.#used);
    for (let slot = 0; slot < products.length; slot++) {
      products[slot] = (sums[slot] ?? 0) * (this.#scales[slot] ?? 0) * query.scale;
    }
    return products;
  }
}
