import { createHash } from 'node:crypto';
import type { Embedder, EmbedOptions } from '../embedder.ts';

/** Texts embedded at a time. A cancelled call loses only the vectors of its last batch. */
const SLICE = 256;

/** Wraps an embedder so that it embeds only texts that are not in the cache. Closing it closes both. */
export function withCache(embedder: Embedder, cache: VectorCache): Embedder {
  /** Texts being embedded, so that no text is started twice. */
  const pending = new Map<string, Promise<Float32Array | undefined>>();
  let dimension: number | undefined;

  const compute = async (wanted: ReadonlyMap<string, string>, options: EmbedOptions): Promise<Float32Array[]> => {
    const keys = [...wanted.keys()];
    const work = embedder.embed([...wanted.values()], options);
    for (const [place, key] of keys.entries()) {
      // A caller that waits for a text whose embedding failed embeds it again with its own signal.
      pending.set(
        key,
        work.then(
          (vectors) => vectors[place],
          () => undefined,
        ),
      );
    }
    try {
      const vectors = await work;
      cache.set(vectors.map((vector, place) => [keys[place] ?? '', vector]));
      return vectors;
    } finally {
      for (const key of keys) pending.delete(key);
    }
  };

  const embedSlice = async (texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> => {
    const keys = texts.map((text) => keyOf(embedder.id, text, options.as));
    const known = new Map<string, Float32Array>();
    for (const [place, vector] of cache.get(keys).entries())
      if (vector !== undefined) known.set(keys[place] ?? '', vector);
    const awaited = new Map<string, Promise<Float32Array | undefined>>();
    const missing = new Map<string, string>();
    for (const [place, key] of keys.entries()) {
      const work = pending.get(key);
      if (known.has(key)) continue;
      if (work === undefined) missing.set(key, texts[place] ?? '');
      else awaited.set(key, work);
    }
    // Starts before the first `await`, so that no other caller can start the same texts.
    const fresh = missing.size === 0 ? [] : await compute(missing, options);
    for (const [place, key] of [...missing.keys()].entries()) known.set(key, fresh[place] ?? new Float32Array());
    for (const [key, work] of awaited) {
      const vector = await work;
      if (vector !== undefined) known.set(key, vector);
    }
    if (keys.some((key) => !known.has(key))) return embedSlice(texts, options);
    // Copies, because callers may change the vectors.
    return keys.map((key) => (known.get(key) ?? new Float32Array()).slice());
  };

  return {
    id: embedder.id,
    get dimension() {
      return embedder.dimension ?? dimension;
    },
    async embed(texts, options = {}) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += SLICE) {
        options.signal?.throwIfAborted();
        vectors.push(...(await embedSlice(texts.slice(from, from + SLICE), options)));
      }
      dimension ??= vectors[0]?.length;
      return vectors;
    },
    close: async () => {
      await embedder.close();
      cache.close();
    },
  };
}

function keyOf(id: string, text: string, as: EmbedOptions['as'] = 'document'): string {
  return createHash('sha256').update(`${id}\0${as}\0`).update(text).digest('base64url').slice(0, 27);
}

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
