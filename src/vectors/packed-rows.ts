import { createMemory, type KernelMemory, openKernel, PAGE } from '../platform/wasm/open-kernel.ts';
import { KERNEL } from './dot-kernel.generated.ts';
import { packQuery, packVector, unpackVector } from './packed-vector.ts';

/** The exports of wasm/dot.ts. */
interface DotKernel {
  dots(query: number, rows: number, stride: number, count: number, out: number): void;
}

const FIRST_ROOM = 256;

/** Vectors as rows of signed bytes in the memory of the dot kernel. */
export class PackedRows {
  /** Bytes of a row: the dimension, rounded up to the kernel's step. */
  readonly stride: number;
  readonly #memory: KernelMemory = createMemory(PAGE);
  readonly #kernel = openKernel<DotKernel>(KERNEL, this.#memory);
  #room = 0;

  constructor(dimension: number) {
    this.stride = Math.ceil(dimension / 16) * 16;
  }

  /** The number of rows that fit without growing. */
  get room(): number {
    return this.#room;
  }

  set(row: number, bytes: Int8Array): void {
    if (row >= this.#room) this.#grow(row + 1);
    new Int8Array(this.#memory.buffer).set(bytes, this.#rowsAt + row * this.stride);
  }

  /**
   * Multiplies a packed query with the rows from `from` up to, but not including, `to`. The result is valid until the
   * next call.
   */
  multiply(query: Int16Array, from: number, to: number): Int32Array {
    new Int16Array(this.#memory.buffer, 0, this.stride).fill(0).set(query);
    const rows = this.#rowsAt + from * this.stride;
    this.#kernel.dots(0, rows, this.stride, to - from, this.#productsAt);
    return new Int32Array(this.#memory.buffer, this.#productsAt, to - from);
  }

  /** The query is stored first. */
  get #productsAt(): number {
    return this.stride * 2;
  }

  get #rowsAt(): number {
    return this.#productsAt + this.#room * 4;
  }

  /** Moves the rows, because they are stored after the products, which need more space too. */
  #grow(needed: number): void {
    const [from, bytes] = [this.#rowsAt, this.#room * this.stride];
    this.#room = Math.max(FIRST_ROOM, needed, Math.ceil(this.#room * 1.5));
    const size = this.#rowsAt + this.#room * this.stride;
    const missing = size - this.#memory.buffer.byteLength;
    // Grows by a quarter more than needed, so that it does not grow each time.
    if (missing > 0) this.#memory.grow(Math.ceil((missing + size / 4) / PAGE));
    new Uint8Array(this.#memory.buffer).copyWithin(this.#rowsAt, from, from + bytes);
  }
}

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
