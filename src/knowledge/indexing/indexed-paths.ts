import type { IndexedFiles } from '../collection/knowledge-collection.ts';
import type { RunScope } from './run-scope.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { StoreSpace } from '../../platform/store/board-store.ts';

/** An index run that can be repeated. */
export type IndexedPaths = IndexedFiles & RunScope;

/** Reads the earlier runs of a collection, so that they can be repeated without naming the paths again. */
export async function readIndexedPaths(space: StoreSpace, collection: string): Promise<IndexedPaths[]> {
  const kept = await space.get(collection);
  return Array.isArray(kept) ? kept.flatMap(parsePaths) : [];
}

/** Remembers a run; it replaces an earlier run of the same paths. */
export async function rememberIndexedPaths(space: StoreSpace, collection: string, run: IndexedPaths): Promise<void> {
  const key = JSON.stringify(run.paths);
  const before = await readIndexedPaths(space, collection);
  const others = before.filter(({ paths }) => JSON.stringify(paths) !== key);
  await space.set(collection, [...others, run]);
}

function parsePaths(value: unknown): IndexedPaths[] {
  if (!isPlainObject(value)) return [];
  const texts = (key: string): string[] => (Array.isArray(value[key]) ? value[key].map(String) : []);
  const type = typeof value['type'] === 'string' ? value['type'] : 'general';
  return [
    { paths: texts('paths'), type, tags: texts('tags'), hidden: value['hidden'] === true, exclude: texts('exclude') },
  ];
}
