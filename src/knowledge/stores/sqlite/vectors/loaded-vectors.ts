import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EmbeddingSettings, SearchHit } from '../../../vector-store.ts';
import type { CollectionRow, Connection } from '../connection.ts';
import { CollectionVectors, type TableScope } from './collection-vectors.ts';
import { REMOVALS_KEPT } from '../write-documents.ts';
import { nearness, toKeptVector } from '../../nearness.ts';
import { toHits, toVector } from '../read-documents.ts';
import { TopScores } from '../../scoring/top-scores.ts';

interface Loaded {
  /** The collection's name when its vectors were read. */
  readonly collection: string;
  readonly table: CollectionVectors;
  /** The collection's version up to which removals were applied. */
  version: number;
  /** The last number read. */
  last: number;
}

/** Rows read without yielding to the event loop: a few milliseconds. */
const ROWS_A_TURN = 2_000;

/** The packed vectors of searched collections, updated from the file before each search. */
export class LoadedVectors {
  readonly #connection: Connection;
  readonly #loaded = new Map<string, Loaded>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the collection's vectors, including all that was written before this call. */
  async open(collection: CollectionRow, embedding: EmbeddingSettings): Promise<CollectionVectors> {
    const { key, version } = collection;
    const { dimension, distance } = embedding;
    const name = `${key} ${dimension} ${distance}`;
    let loaded = this.#loaded.get(name);
    if (loaded === undefined || loaded.table.isSparse || version - loaded.version >= REMOVALS_KEPT) {
      const table = new CollectionVectors({ dimension, isEuclidean: distance === 'euclidean' });
      loaded = { collection: collection.info.name, table, version, last: 0 };
      // The vectors of a collection that this one replaced are no longer needed.
      for (const [other, { collection: owner }] of this.#loaded)
        if (owner === loaded.collection && other !== name) this.#loaded.delete(other);
      this.#loaded.set(name, loaded);
    }
    // An unchanged collection has no removals to read.
    if (loaded.version < version) {
      this.#followRemovals(key, loaded);
      loaded.version = Math.max(loaded.version, version);
    }
    while (this.#readMore(key, loaded) === ROWS_A_TURN) await nextTurn();
    return loaded.table;
  }

  #followRemovals(collection: number, loaded: Loaded): void {
    const removed = this.#connection.all(
      'select version, first, count from removed where collection = ? and version > ? order by version',
      collection,
      loaded.version,
    );
    for (const { version, first, count } of removed) {
      for (let number = Number(first); number < Number(first) + Number(count); number++) loaded.table.remove(number);
      loaded.version = Number(version);
    }
  }

  #readMore(collection: number, loaded: Loaded): number {
    const rows = this.#connection.all(
      'select number, vector from packed where collection = ? and number > ? order by number limit ?',
      collection,
      loaded.last,
      ROWS_A_TURN,
    );
    for (const { number, vector } of rows) {
      if (vector instanceof Uint8Array) loaded.table.add(Number(number), vector);
      loaded.last = Number(number);
    }
    return rows.length;
  }
}

interface VectorSearch extends TableScope {
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
