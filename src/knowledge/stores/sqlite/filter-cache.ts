import type { DocumentFilter } from '../../vector-store.ts';
import type { CollectionRow } from './collection-row.ts';
import type { Statements } from './connection.ts';
import type { NumberRanges } from './number-ranges.ts';
import { selectNumbers } from './select-documents.ts';

const MOST = 16;

/** What the last filters meant, for as long as nobody writes: the same few are asked for again and again. */
export class FilterCache {
  readonly #known = new Map<string, NumberRanges | undefined>();

  /** The numbers of all chunks a filter means; `undefined` when it means every one. Runs inside a read. */
  select(connection: Statements, { key, version }: CollectionRow, filter: DocumentFilter): NumberRanges | undefined {
    const name = JSON.stringify([key, version, filter]);
    if (this.#known.has(name)) return this.#known.get(name);
    const ranges = selectNumbers(connection, key, filter);
    const oldest = this.#known.size < MOST ? undefined : this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, ranges);
    return ranges;
  }
}
