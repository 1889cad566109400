/** Vectors that were computed before, by a key that stands for the text and the model. */
export interface VectorCache {
  /** The vector for each key, `undefined` where it is not known. */
  get(keys: readonly string[]): (Float32Array | undefined)[];
  set(entries: readonly (readonly [key: string, vector: Float32Array])[]): void;
  close(): void;
}

/** Keeps the vectors used last in memory. Default: 10,000 of them. */
export function createMemoryCache(most = 10_000): VectorCache {
  const vectors = new Map<string, Float32Array>();
  return {
    get: (keys) =>
      keys.map((key) => {
        const vector = vectors.get(key);
        if (vector === undefined) return undefined;
        // A map keeps the order in which things were put: the first is the one not used for longest.
        vectors.delete(key);
        vectors.set(key, vector);
        return vector.slice();
      }),
    set: (entries) => {
      for (const [key, vector] of entries) vectors.set(key, vector.slice());
      for (const key of vectors.keys()) {
        if (vectors.size <= most) break;
        vectors.delete(key);
      }
    },
    close: () => vectors.clear(),
  };
}
