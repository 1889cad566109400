import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { compileExclude } from '../documents/find/compile-exclude.ts';
import { createSourcePaths } from './source-paths.ts';
import { type SearchRoot, toSearchRoots } from '../documents/find/search-roots.ts';

/** The files that a run is about, as its caller named them. */
export interface RunScope {
  readonly paths: readonly string[];
  readonly exclude: readonly string[];
  readonly hidden: boolean;
}

/** Runs of the same collection, so that files which several are about stay with the last of them. */
export interface OtherRuns {
  readonly before: readonly RunScope[];
  readonly after: readonly RunScope[];
}

const NOTHING_KNOWN = { isKnown: () => false, hasBelow: () => false, canBeGone: true };

/** Whether a run is about a file, by its absolute path; what `.gitignore` files say does not matter here. */
function toScopeTest({ paths, exclude, hidden }: RunScope, cwd: string): (path: string) => boolean {
  const roots = toSearchRoots(paths, { cwd, ...NOTHING_KNOWN });
  const files = new Set(roots.flatMap(({ type, path }) => (type === 'file' ? [path] : [])));
  const folders = roots.filter(({ type }) => type === 'folder');
  const isExcluded = exclude.length === 0 ? () => false : compileExclude(exclude, cwd);
  return (path) =>
    files.has(path) ||
    folders.some((root) => {
      if (!isBelow(root, path) || (!hidden && path.slice(root.path.length).includes('/.'))) return false;
      // A folder that is left out leaves out everything below it.
      for (let part = path; part.length > root.path.length; part = dirname(part)) if (isExcluded(part)) return false;
      return true;
    });
}

/** Tells of the document of a path whether one of these runs is about it, also when it left the file out. */
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

/** Whether a file below a root is meant. */
export function isBelow(root: SearchRoot, path: string): boolean {
  return path.startsWith(root.path.endsWith('/') ? root.path : `${root.path}/`) && root.matches(path);
}

/** Which files are this run's own, among those that other runs are about too: the last run has them. */
export class RunShare {
  readonly #own: (path: string) => boolean;
  readonly #before: readonly ((path: string) => boolean)[];
  readonly #after: readonly ((path: string) => boolean)[];

  constructor(own: RunScope, { before, after }: OtherRuns, cwd: string) {
    this.#own = toScopeTest(own, cwd);
    this.#before = before.map((scope) => toScopeTest(scope, cwd));
    this.#after = after.map((scope) => toScopeTest(scope, cwd));
  }

  /** Whether a later run is about it. */
  isLeft(path: string): boolean {
    return this.#after.some((includes) => includes(path));
  }

  /** Whether this run may delete a document whose file it did not find. */
  mayForget(path: string): boolean {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return true;
    if (this.isLeft(path)) return false;
    return this.#own(path) || !this.#before.some((includes) => includes(path));
  }
}
