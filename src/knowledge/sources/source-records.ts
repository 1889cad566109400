import { isPlainObject } from '../../tool/json.ts';
import type { StoreSpace } from '../../platform/store/board-store.ts';
import type { SourceScope } from './planned-source.ts';

/** State kept between runs, in a space of a board's store. */
export type SourceRecords = Pick<StoreSpace, 'get' | 'set' | 'delete'>;

/** Creates records that are kept in memory only. */
export function memoryRecords(): SourceRecords {
  const records = new Map<string, unknown>();
  return {
    get: async (key) => records.get(key),
    set: async (key, value) => void records.set(key, value),
    delete: async (key) => records.delete(key),
  };
}

/** Reads the sources whose documents a collection has. */
export async function readScopes(records: SourceRecords, collection: string): Promise<SourceScope[]> {
  const kept = await records.get(keyOf(collection));
  return Array.isArray(kept) ? kept.flatMap(parseScope) : [];
}

/** Remembers the sources whose documents a collection has. */
export async function rememberScopes(
  records: SourceRecords,
  collection: string,
  scopes: readonly SourceScope[],
): Promise<void> {
  const unique = new Map(scopes.map((scope) => [JSON.stringify(scope), scope]));
  if (unique.size === 0) await records.delete(keyOf(collection));
  else await records.set(keyOf(collection), [...unique.values()]);
}

function keyOf(collection: string): string {
  return `sources of ${collection}`;
}

function parseScope(value: unknown): SourceScope[] {
  if (!isPlainObject(value) || typeof value['start'] !== 'string') return [];
  const { start, below } = value;
  return [{ start, ...(typeof below === 'string' ? { below } : {}) }];
}
