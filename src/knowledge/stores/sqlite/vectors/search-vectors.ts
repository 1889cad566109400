import type { EmbeddingSettings, SearchHit } from '../../../vector-store.ts';
import { nearness, toKeptVector } from '../../nearness.ts';
import type { Connection } from '../connection.ts';
import { toHits, toVector } from '../read-documents.ts';
import { TopScores } from '../../scoring/top-scores.ts';
import type { CollectionVectors, TableScope } from './collection-vectors.ts';

export interface VectorSearch extends TableScope {
  readonly collection: number;
  readonly embedding: EmbeddingSettings;
  readonly table: CollectionVectors;
  readonly vector: Float32Array;
}

/** Thousands of nearly equal vectors would all have to be read; above this number the estimates decide. */
const MAX_EXACT = 4_000;

/**
 * Finds the chunks with the nearest vectors: selects candidates by estimates in memory and orders them by the exact
 * vectors in the file.
 */
export async function searchVectors(connection: Connection, search: VectorSearch): Promise<SearchHit[]> {
  const { collection, embedding, table, limit } = search;
  const vector = toKeptVector(search.vector, embedding.distance);
  let candidates = await table.search(vector, search);
  if (candidates.length > MAX_EXACT + limit)
    candidates = candidates.toSorted((a, b) => b.estimate - a.estimate).slice(0, MAX_EXACT + limit);
  return connection.read(() => {
    const best = new TopScores(limit);
    // Rows deleted meanwhile are skipped.
    const rows = connection.all(
      'select number, vector from vectors where number in (select value from json_each(?))',
      JSON.stringify(candidates.map(({ number }) => number)),
    );
    for (const { number, vector: blob } of rows) {
      const kept = toVector(blob);
      if (kept !== undefined) best.add(Number(number), nearness(kept, vector, embedding.distance));
    }
    return toHits(connection, collection, best.sorted());
  });
}
