const PAGE_BITS = 16;
/** Larger blocks get a page of their own. */
const PAGE = 1 << PAGE_BITS;
const SMALLEST = 4;

/** Many cells: the same memory as integers and as floats. */
export interface Page {
  readonly whole: Int32Array;
  readonly fractions: Float32Array;
}

/**
 * Memory for millions of numbers in a few large pages. A block of cells is identified by its address, a number.
 *
 * The garbage collector neither walks nor moves them: with an array or object for each list, indexing a board of
 * thousands of tools would block the event loop for tens of milliseconds.
 */
export class CellPool {
  readonly #pages: Page[] = [newPage(PAGE)];
  /** Addresses by the logarithm of the block's size. */
  readonly #free: number[][] = [];
  #current = 0;
  #used = 0;

  /** Allocates `roomFor(count)` cells, at least `count`. They still contain old numbers. */
  take(count: number): number {
    const size = roomFor(count);
    const free = this.#free[31 - Math.clz32(size)]?.pop();
    if (free !== undefined) return free;
    if (size > PAGE) return this.#addPage(size) << PAGE_BITS;
    if (this.#used + size > PAGE) {
      this.#current = this.#addPage(PAGE);
      this.#used = 0;
    }
    this.#used += size;
    return (this.#current << PAGE_BITS) + this.#used - size;
  }

  /** Frees the cells that were allocated for `count` numbers. */
  give(address: number, count: number): void {
    (this.#free[31 - Math.clz32(roomFor(count))] ??= []).push(address);
  }

  /** Returns the page of an address. */
  pageOf(address: number): Page {
    const page = this.#pages[address >> PAGE_BITS];
    if (page === undefined) throw new RangeError(`There are no cells at ${address}.`);
    return page;
  }

  #addPage(size: number): number {
    return this.#pages.push(newPage(size)) - 1;
  }
}

/** Returns the position of an address in its page. */
export function placeOf(address: number): number {
  return address & (PAGE - 1);
}

/** Returns the number of cells allocated for `count` numbers: a power of two. */
export function roomFor(count: number): number {
  return 1 << (32 - Math.clz32(Math.max(SMALLEST, count) - 1));
}

function newPage(size: number): Page {
  const whole = new Int32Array(size);
  return { whole, fractions: new Float32Array(whole.buffer) };
}
