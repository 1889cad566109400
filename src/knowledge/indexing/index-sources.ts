import { isPlainObject } from '../../tool/json.ts';
import type { StoreSpace } from '../../platform/store/board-store.ts';

/** An index run that can be done again. */
export interface IndexSource {
  /** Files, folders and patterns, relative to the base. */
  readonly paths: readonly string[];
  readonly type: string;
  readonly tags: readonly string[];
  readonly hidden: boolean;
  readonly exclude: readonly string[];
}

/** What was indexed into a collection before, so that it can be brought up to date without naming it again. */
export function readIndexSources(space: StoreSpace, collection: string): IndexSource[] {
  const kept = space.get(collection);
  return Array.isArray(kept) ? kept.flatMap(parseSource) : [];
}

/** Remembers a run; a run of the same paths takes the place of the one before. */
export function rememberIndexSource(space: StoreSpace, collection: string, source: IndexSource): void {
  const key = JSON.stringify(source.paths);
  const others = readIndexSources(space, collection).filter(({ paths }) => JSON.stringify(paths) !== key);
  space.set(collection, [...others, source]);
}

function parseSource(value: unknown): IndexSource[] {
  if (!isPlainObject(value)) return [];
  const texts = (key: string): string[] => (Array.isArray(value[key]) ? value[key].map(String) : []);
  const type = typeof value['type'] === 'string' ? value['type'] : 'general';
  return [
    { paths: texts('paths'), type, tags: texts('tags'), hidden: value['hidden'] === true, exclude: texts('exclude') },
  ];
}
