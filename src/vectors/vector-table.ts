import { createMemory, type KernelMemory, openKernel } from '../platform/wasm/open-kernel.ts';
import { KERNEL } from './dot-kernel.generated.ts';

interface Kernel {
  // One parameter for each operand: this is the shape of the compiled function.
  dots(...operands: readonly number[]): void;
}

/** Vectors are kept as integers up to this: sums of 8,192 products of two of them still fit into 32 bits. */
const LARGEST = 1_023;
const FIRST_ROOM = 256;

/** Where things are in the kernel's memory. */
interface Layout {
  readonly capacity: number;
  readonly query: number;
  readonly rows: number;
  readonly scales: number;
  readonly out: number;
  readonly size: number;
}

/** Vectors by slot, and their products with a query: 17,000 of 384 numbers take 13 MB and about a millisecond. */
export class VectorTable {
  /** Numbers in a vector, rounded up to what the kernel takes at once. */
  readonly #length: number;
  #memory: KernelMemory;
  #kernel: Kernel;
  #layout: Layout;
  #used = 0;

  constructor(dimension: number) {
    this.#length = Math.ceil(dimension / 8) * 8;
    this.#layout = this.#plan(FIRST_ROOM);
    this.#memory = createMemory(this.#layout.size);
    this.#kernel = openKernel(KERNEL, this.#memory);
  }

  /** Puts a vector of unit length into a slot. */
  set(slot: number, vector: Float32Array): void {
    if (slot >= this.#layout.capacity) this.#grow(slot + 1);
    this.#used = Math.max(this.#used, slot + 1);
    const scale = this.#write(this.#layout.rows + slot * this.#length * 2, vector);
    new Float32Array(this.#memory.buffer, this.#layout.scales + slot * 4, 1)[0] = scale;
  }

  /** Makes a slot's product nothing. */
  clear(slot: number): void {
    if (slot < this.#used) new Float32Array(this.#memory.buffer, this.#layout.scales + slot * 4, 1)[0] = 0;
  }

  /** The product of a vector with each slot's; holds until the next call. */
  multiply(vector: Float32Array): Float32Array {
    const { query, rows, scales, out } = this.#layout;
    const scale = this.#write(query, vector);
    this.#kernel.dots(query, rows, scales, out, this.#used, this.#length);
    const products = new Float32Array(this.#memory.buffer, out, this.#used);
    for (let slot = 0; slot < products.length; slot++) products[slot] = (products[slot] ?? 0) * scale;
    return products;
  }

  #write(at: number, vector: Float32Array): number {
    let highest = 0;
    for (const number of vector) highest = Math.max(highest, Math.abs(number));
    const factor = highest === 0 ? 0 : LARGEST / highest;
    const target = new Int16Array(this.#memory.buffer, at, this.#length);
    for (let place = 0; place < vector.length; place++) target[place] = Math.round((vector[place] ?? 0) * factor);
    return highest / LARGEST;
  }

  #grow(needed: number): void {
    const [before, from] = [this.#memory.buffer, this.#layout];
    this.#layout = this.#plan(Math.max(needed, from.capacity * 2));
    this.#memory = createMemory(this.#layout.size);
    this.#kernel = openKernel(KERNEL, this.#memory);
    const copy = (source: number, target: number, bytes: number): void =>
      new Uint8Array(this.#memory.buffer, target, bytes).set(new Uint8Array(before, source, bytes));
    copy(from.rows, this.#layout.rows, this.#used * this.#length * 2);
    copy(from.scales, this.#layout.scales, this.#used * 4);
  }

  #plan(capacity: number): Layout {
    const vector = this.#length * 2;
    const query = 1_024;
    const rows = query + vector;
    const scales = rows + capacity * vector;
    const out = scales + capacity * 4;
    return { capacity, query, rows, scales, out, size: out + capacity * 4 };
  }
}
