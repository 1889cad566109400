import type { Embedder } from './embedder.ts';

/** Options of `createTestEmbedder`. */
export interface TestEmbedderOptions {
  /** Numbers in a vector. Default: 256. */
  readonly dimension?: number | undefined;
}

/**
 * Creates an embedder for tests. Texts that share words or parts of words are close, and a text has the same numbers
 * on every machine. It knows no meanings.
 */
export function createTestEmbedder({ dimension = 256 }: TestEmbedderOptions = {}): Embedder {
  return {
    id: `test:${dimension}`,
    dimension,
    embed: async (texts, { signal } = {}) => {
      signal?.throwIfAborted();
      return texts.map((text) => embedText(text, dimension));
    },
    close: () => Promise.resolve(),
  };
}

function embedText(text: string, dimension: number): Float32Array {
  const vector = new Float32Array(dimension);
  const add = (feature: string, weight: number): void => {
    const hash = hashOf(feature);
    const place = hash % dimension;
    // The sign is another bit of the hash, so that features that share a place cancel out on average.
    vector[place] = (vector[place] ?? 0) + (hash & 0x8000_0000 ? weight : -weight);
  };
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    add(word, 1);
    for (let from = 0; from + 3 <= word.length; from++) add(`#${word.slice(from, from + 3)}`, 0.3);
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[0] = 1;
  else for (let place = 0; place < dimension; place++) vector[place] = (vector[place] ?? 0) / length;
  return vector;
}

/** Hashes with FNV-1a and mixes the result, because the low bits of FNV alone are not even enough. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
