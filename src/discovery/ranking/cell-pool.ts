/** A block that is larger gets a page of its own. */
const PAGE = 1 << 16;
const SMALLEST = 4;

/** Cells side by side in a page: the same memory as whole numbers and as fractions. */
export interface Cells {
  readonly whole: Int32Array;
  readonly fractions: Float32Array;
  readonly start: number;
  /** How many cells there are: a power of two. */
  readonly size: number;
}

/**
 * Room for numbers by the million, in a few large pages.
 *
 * The garbage collector neither walks nor moves them: with an array for each list of numbers, a board of thousands of
 * tools would stop the event loop for tens of milliseconds while it is indexed.
 */
export class CellPool {
  /** By the logarithm of their size. */
  readonly #free: Cells[][] = [];
  #page = newPage(PAGE);
  #used = 0;

  /** Cells for at least `count` numbers. What is in them is left from before. */
  take(count: number): Cells {
    const logarithm = 32 - Math.clz32(Math.max(SMALLEST, count) - 1);
    const size = 1 << logarithm;
    const free = this.#free[logarithm]?.pop();
    if (free !== undefined) return free;
    if (size > PAGE) return cut(newPage(size), 0, size);
    if (this.#used + size > PAGE) {
      this.#page = newPage(PAGE);
      this.#used = 0;
    }
    this.#used += size;
    return cut(this.#page, this.#used - size, size);
  }

  /** Takes cells back, to be used again. */
  give(cells: Cells): void {
    (this.#free[31 - Math.clz32(cells.size)] ??= []).push(cells);
  }
}

type Page = Pick<Cells, 'whole' | 'fractions'>;

/** There are as many of these as words and tools: written out they take half the room that copied ones do. */
function cut({ whole, fractions }: Page, start: number, size: number): Cells {
  return { whole, fractions, start, size };
}

function newPage(size: number): Page {
  const whole = new Int32Array(size);
  return { whole, fractions: new Float32Array(whole.buffer) };
}
