import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { compileExclude } from '../documents/find/compile-exclude.ts';
import { type SearchRoot, toSearchRoots } from '../documents/find/search-roots.ts';

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
