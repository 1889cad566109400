import { openSearch } from './contestants.ts';
import { measureSet } from './measure-set.ts';
import { addNoise, type NoisePlace } from './noise.ts';
import type { SetQuery, ToolSet } from './read-sets.ts';
import { openTunedBm25 } from './tuned-bm25.ts';

/** Sentences of talk that are put around each query. */
export const SENTENCES = 20;
const PLACES: readonly NoisePlace[] = ['before', 'after', 'around'];
const LONG = 60;

/** nDCG@10 of a set with talk around its queries, and of its long queries, in percent. */
export interface TalkQuality {
  readonly clean: number;
  readonly before: number;
  readonly after: number;
  readonly around: number;
  /** BM25 over fields, with talk before the query. */
  readonly bm25Before: number;
  /** Queries of more than 60 words; `undefined` where a set has none. */
  readonly long?: { readonly count: number; readonly ours: number; readonly bm25: number };
}

/** Asks each query with small talk around it. */
export async function measureTalk({ tools, queries }: ToolSet): Promise<TalkQuality> {
  const ours = openSearch(tools);
  const bm25 = openTunedBm25(tools);
  const asked = (place: NoisePlace): SetQuery[] =>
    queries.map(({ query, needs }, seed) => ({ query: addNoise(query, { place, count: SENTENCES, seed }), needs }));
  const [before = 0, after = 0, around = 0] = await Promise.all(
    PLACES.map(async (place) => (await measureSet(asked(place), ours)).ndcg10),
  );
  const long = queries.filter(({ query }) => query.split(/\s+/).length > LONG);
  return {
    clean: (await measureSet(queries, ours)).ndcg10,
    before,
    after,
    around,
    bm25Before: (await measureSet(asked('before'), bm25)).ndcg10,
    ...(long.length === 0
      ? {}
      : {
          long: {
            count: long.length,
            ours: (await measureSet(long, ours)).ndcg10,
            bm25: (await measureSet(long, bm25)).ndcg10,
          },
        }),
  };
}
