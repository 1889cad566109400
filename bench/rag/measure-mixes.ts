// Measures one set at fixed mixes of words and vectors and at the chosen one, in a process of its own: node measure-mixes.ts SET
import { type FoundHits, fuseHits, raiseScores, weighWords } from '../../src/knowledge/retrieval/fuse-hits.ts';
import { ReadChunks, readBestTexts, readPassages } from '../../src/knowledge/retrieval/read-passages.ts';
import { createMemoryStore } from '../../src/knowledge/stores/sqlite/sqlite-store.ts';
import { toNdcg } from './ndcg.ts';
import { fill, toDocument } from './own-store.ts';
import { readRagSets } from './read-rag-sets.ts';
import { readVectors } from './read-vectors.ts';

/** nDCG@10 of one set. */
export interface MixFigures {
  readonly words: number;
  /** Weights of words, each with its quality. */
  readonly fixed: readonly (readonly [weight: number, ndcg10: number])[];
  readonly chosen: number;
}

const DEPTH = 100;
const WEIGHTS = Array.from({ length: 11 }, (_, tenth) => tenth / 10);

const [setName = ''] = process.argv.slice(2);
const set = readRagSets().find(({ name }) => name === setName);
if (set === undefined) throw new Error(`Unknown set "${setName}".`);
const vectors = await readVectors(set);
const store = createMemoryStore();
await store.ensureCollection('docs', { embedder: 'minilm', dimension: 384, distance: 'cosine' });
await fill(
  store,
  set.documents.map(({ id, text }, row) => toDocument(id, text, vectors.documents[row])),
);
const sums = { words: 0, chosen: 0, fixed: WEIGHTS.map(() => 0) };
for (const [place, query] of set.queries.entries()) {
  const { found, chunks, chosen } = await search(query.text, vectors.queries[place] ?? new Float32Array());
  const measure = async (given: FoundHits, wordsWeight: number): Promise<number> => {
    const passages = await readPassages(fuseHits(given, { wordsWeight }), { chunks, limit: 10 });
    return toNdcg(
      passages.map(({ documentId }) => documentId),
      query,
    );
  };
  sums.words += await measure({ ...found, vectors: undefined }, 1);
  sums.chosen += await measure(found, chosen);
  for (const [index, weight] of WEIGHTS.entries())
    sums.fixed[index] = (sums.fixed[index] ?? 0) + (await measure(found, weight));
}
const count = set.queries.length;
const figures: MixFigures = {
  words: sums.words / count,
  chosen: sums.chosen / count,
  fixed: WEIGHTS.map((weight, index) => [weight, (sums.fixed[index] ?? 0) / count]),
};
if (process.send === undefined) console.log(JSON.stringify({ set: setName, ...figures }));
else process.send(figures, () => process.exit());

/** Finds by words and by vectors, joined as in `searchKnowledge`. */
async function search(
  text: string,
  vector: Float32Array,
): Promise<{ found: FoundHits; chunks: ReadChunks; chosen: number }> {
  const words = await store.search('docs', { by: 'words', text, limit: DEPTH });
  const nearest = await store.search('docs', { by: 'vector', vector, limit: DEPTH });
  const among = nearest.map(({ chunkId }) => chunkId).filter((id) => !words.some(({ chunkId }) => chunkId === id));
  const otherWords = among.length === 0 ? [] : await store.search('docs', { by: 'words', text, among, limit: DEPTH });
  const chunks = new ReadChunks(store, 'docs');
  const texts = await readBestTexts({ words, vectors: nearest, otherWords }, chunks);
  const found = raiseScores({ words, vectors: nearest, otherWords }, { query: text, texts });
  return { found, chunks, chosen: weighWords(found, texts) };
}
