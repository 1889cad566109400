import type { UnembeddedDocument } from './batch-writer.ts';

/** Measures progress in bytes of files, because the time depends on bytes, not on files. */
export class WorkMeter {
  readonly #sizes: ReadonlyMap<string, number>;
  /** Batches being embedded, with the finished share. */
  readonly #underWay = new Map<readonly UnembeddedDocument[], number>();
  readonly total: number;
  #done = 0;

  /** @param sizes Files that may have changed, by the name of their document. */
  constructor(sizes: ReadonlyMap<string, number>) {
    this.#sizes = sizes;
    this.total = sum([...sizes.values()]);
  }

  /** Bytes that are written or need no work. */
  get done(): number {
    const begun = [...this.#underWay].map(([batch, share]) => share * this.#sizeOf(batch));
    return this.#done + sum(begun);
  }

  /** Counts a file that needs no more work. */
  skip(source: string): void {
    this.#done += this.#sizes.get(source) ?? 0;
  }

  /** Updates the finished share of a batch. */
  embed(batch: readonly UnembeddedDocument[], share: number): void {
    this.#underWay.set(batch, share);
  }

  /** Counts a batch as written. */
  finish(batch: readonly UnembeddedDocument[]): void {
    this.#underWay.delete(batch);
    this.#done += this.#sizeOf(batch);
  }

  #sizeOf(batch: readonly UnembeddedDocument[]): number {
    return sum(batch.map(({ id }) => this.#sizes.get(id) ?? 0));
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
