import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { compileExclude, type SearchRoot, toSearchRoots } from '../documents/find/search-roots.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { StoreSpace } from '../../platform/store/board-store.ts';

/** The files of a run, as its caller named them. */
export interface RunScope {
  readonly paths: readonly string[];
  readonly exclude: readonly string[];
  readonly hidden: boolean;
}

/** Other runs of the same collection. A file that several runs select belongs to the last of them. */
export interface OtherRuns {
  readonly before: readonly RunScope[];
  readonly after: readonly RunScope[];
}

const NOTHING_KNOWN = { isKnown: () => false, hasBelow: () => false, canBeGone: true };

/** Returns a test of absolute paths for a run. It ignores `.gitignore` files. */
function toScopeTest({ paths, exclude, hidden }: RunScope, cwd: string): (path: string) => boolean {
  const roots = toSearchRoots(paths, { cwd, ...NOTHING_KNOWN });
  const files = new Set(roots.flatMap(({ type, path }) => (type === 'file' ? [path] : [])));
  const folders = roots.filter(({ type }) => type === 'folder');
  const isExcluded = exclude.length === 0 ? () => false : compileExclude(exclude, cwd);
  return (path) =>
    files.has(path) ||
    folders.some((root) => {
      if (!isBelow(root, path) || (!hidden && path.slice(root.path.length).includes('/.'))) return false;
      // An excluded folder excludes everything below it.
      for (let part = path; part.length > root.path.length; part = dirname(part)) if (isExcluded(part)) return false;
      return true;
    });
}

/** Returns a test of document names: true if a run selects the path, even if it skipped the file. */
export function isCovered(
  runs: readonly Pick<RunScope, 'paths'>[],
  { cwd, base }: { readonly cwd: string; readonly base: string },
): (sourcePath: string) => boolean {
  const roots = runs.flatMap(({ paths }) => toSearchRoots(paths, { cwd, ...NOTHING_KNOWN }));
  const names = createSourcePaths(base);
  return (sourcePath) => {
    const path = names.toPath(sourcePath);
    return roots.some((root) => root.path === path || isBelow(root, path));
  };
}

/** Returns true if a path is below a root and matches its pattern. */
export function isBelow(root: SearchRoot, path: string): boolean {
  return path.startsWith(root.path.endsWith('/') ? root.path : `${root.path}/`) && root.matches(path);
}

/** Decides which files belong to a run when several select them: the last run has them. */
export class RunShare {
  readonly #own: (path: string) => boolean;
  readonly #before: readonly ((path: string) => boolean)[];
  readonly #after: readonly ((path: string) => boolean)[];

  constructor(own: RunScope, { before, after }: OtherRuns, cwd: string) {
    this.#own = toScopeTest(own, cwd);
    this.#before = before.map((scope) => toScopeTest(scope, cwd));
    this.#after = after.map((scope) => toScopeTest(scope, cwd));
  }

  /** Returns true if a later run selects the file. */
  isLeft(path: string): boolean {
    return this.#after.some((includes) => includes(path));
  }

  /** Returns true if this run may delete a document whose file it did not find. */
  mayDelete(path: string): boolean {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return true;
    if (this.isLeft(path)) return false;
    return this.#own(path) || !this.#before.some((includes) => includes(path));
  }
}

/** Names of files in a collection: relative to the base if below it, else the whole path; with `/`. */
interface SourcePaths {
  toSource(path: string): string;
  toPath(source: string): string;
}

export function createSourcePaths(base: string): SourcePaths {
  return {
    toSource: (path) => {
      const inside = relative(base, path);
      const isOutside = inside === '' || inside.startsWith('..') || isAbsolute(inside);
      return (isOutside ? path : inside).split(sep).join('/');
    },
    toPath: (source) => (isAbsolute(source) ? resolve(source) : join(base, source)),
  };
}

/** Indexed files with the same type and tags. */
export interface IndexedFiles {
  readonly paths: readonly string[];
  readonly type: string;
  readonly tags: readonly string[];
}

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
