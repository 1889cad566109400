import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EmbeddingSettings } from '../../../vector-store.ts';
import type { CollectionRow } from '../collection-row.ts';
import type { Connection } from '../connection.ts';
import { CollectionVectors } from './collection-vectors.ts';
import { REMOVALS_KEPT } from '../write-documents.ts';

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
