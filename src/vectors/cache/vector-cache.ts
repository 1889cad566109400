/** Vectors that were computed before, by a key that stands for the text and the model. */
export interface VectorCache {
  /** The vector for each key, `undefined` where it is not known. */
  get(keys: readonly string[]): (Float32Array | undefined)[];
  set(entries: readonly (readonly [key: string, vector: Float32Array])[]): void;
  close(): void;
}
