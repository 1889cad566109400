/** Vectors computed earlier, by a key derived from text and model. */
export interface VectorCache {
  /** Returns the vector of each key, or `undefined` if it is not known. */
  get(keys: readonly string[]): (Float32Array | undefined)[];
  set(entries: readonly (readonly [key: string, vector: Float32Array])[]): void;
  close(): void;
}

/** Keeps the most recently used vectors in memory. */
export function createMemoryCache(most = 10_000): VectorCache {
  const vectors = new Map<string, Float32Array>();
  return {
    get: (keys) =>
      keys.map((key) => {
        const vector = vectors.get(key);
        if (vector === undefined) return undefined;
        // A map keeps insertion order, so the first key is the least recently used.
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
