const PAGE_BITS = 16;
/** A block that is larger gets a page of its own. */
const PAGE = 1 << PAGE_BITS;
const SMALLEST = 4;

/** Many cells: the same memory as whole numbers and as fractions. */
export interface Page {
  readonly whole: Int32Array;
  readonly fractions: Float32Array;
}

/**
 * Room for numbers by the million, in a few large pages. A block of cells is known by its address, a number.
 *
 * The garbage collector neither walks nor moves them: with an array or an object for each list of numbers, a board of
 * thousands of tools would stop the event loop for tens of milliseconds while it is indexed.
 */
export class CellPool {
  readonly #pages: Page[] = [newPage(PAGE)];
  /** Addresses by the logarithm of the block's size. */
  readonly #free: number[][] = [];
  #current = 0;
  #used = 0;

  /** Cells for at least `count` numbers, `roomFor(count)` of them. They still hold their old numbers. */
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

  /** Takes back the cells that were taken for `count` numbers, to be used again. */
  give(address: number, count: number): void {
    (this.#free[31 - Math.clz32(roomFor(count))] ??= []).push(address);
  }

  /** The page an address is in. */
  pageOf(address: number): Page {
    const page = this.#pages[address >> PAGE_BITS];
    if (page === undefined) throw new RangeError(`There are no cells at ${address}.`);
    return page;
  }

  #addPage(size: number): number {
    return this.#pages.push(newPage(size)) - 1;
  }
}

/** Where an address begins in its page. */
export function placeOf(address: number): number {
  return address & (PAGE - 1);
}

/** How many cells are taken for `count` numbers: a power of two. */
export function roomFor(count: number): number {
  return 1 << (32 - Math.clz32(Math.max(SMALLEST, count) - 1));
}

function newPage(size: number): Page {
  const whole = new Int32Array(size);
  return { whole, fractions: new Float32Array(whole.buffer) };
}
