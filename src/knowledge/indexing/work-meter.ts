import type { UnembeddedDocument } from './batch-writer.ts';

/** How much of the work is done and how much there is, in bytes of files: what takes time grows with them, not with files. */
export class WorkMeter {
  readonly #sizes: ReadonlyMap<string, number>;
  /** Batches whose vectors are being made, and the share that is. */
  readonly #underWay = new Map<readonly UnembeddedDocument[], number>();
  readonly total: number;
  #done = 0;

  /** @param sizes The files that may have changed, by the name of their document. */
  constructor(sizes: ReadonlyMap<string, number>) {
    this.#sizes = sizes;
    this.total = sum([...sizes.values()]);
  }

  /** What is written, or needs not be. */
  get done(): number {
    const begun = [...this.#underWay].map(([batch, share]) => share * this.#sizeOf(batch));
    return this.#done + sum(begun);
  }

  /** A file needs no more work. */
  skip(source: string): void {
    this.#done += this.#sizes.get(source) ?? 0;
  }

  /** A part of the vectors of a batch is made. */
  embed(batch: readonly UnembeddedDocument[], share: number): void {
    this.#underWay.set(batch, share);
  }

  /** A batch is written. */
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
