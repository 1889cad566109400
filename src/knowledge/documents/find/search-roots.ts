import picomatch from 'picomatch';
import { type Stats, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { ToolError } from '../../../tool/tool-error.ts';

/** A file or folder to search. */
export interface SearchRoot {
  readonly type: 'file' | 'folder';
  /** Absolute. A missing path counts as a file. */
  readonly path: string;
  /** Returns true if an absolute path below the folder is selected. */
  matches(path: string): boolean;
}

const MAGIC = /[*?{}[\]!()]/;
const MAX_PATTERN = 1000;

/** Options that decide if a missing path is a mistake. */
interface RootOptions {
  readonly cwd: string;
  /** Returns true if a document with this path was indexed. */
  readonly isKnown: (path: string) => boolean;
  /** Returns true if a document below this folder was indexed. */
  readonly hasBelow: (folder: string) => boolean;
  /** Accepts paths that no longer exist, as when a run is repeated. */
  readonly canBeGone: boolean;
}

/**
 * Converts the paths and patterns that a person typed to roots. Throws `not_found` for a folder or pattern that matches
 * nothing.
 */
export function toSearchRoots(patterns: readonly string[], options: RootOptions): SearchRoot[] {
  const { cwd, isKnown, hasBelow, canBeGone } = options;
  return patterns.map((pattern) => {
    // A shell passes an empty text for an unset variable; the caller does not mean the whole folder.
    if (pattern.trim() === '') throw nothingNamed();
    const path = resolve(cwd, pattern);
    const stats = look(path);
    if (stats === 'unknown') return { type: 'file', path, matches: (file) => file === path };
    if (stats?.isDirectory() === true) return { type: 'folder', path, matches: () => true };
    // An indexed path that no longer exists counts too: its documents are deleted.
    if (stats !== undefined || isKnown(path)) return { type: 'file', path, matches: (file) => file === path };
    // A folder whose name looks like a pattern may be gone as well.
    if (MAGIC.test(pattern) && !hasBelow(path)) return globRoot(pattern, options);
    if (!canBeGone && !hasBelow(path)) throw notThere(pattern, path);
    return { type: 'folder', path, matches: () => true };
  });
}

/** Returns `unknown` for a path without access or a link to itself; the report lists it. */
function look(path: string): Stats | 'unknown' | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return 'unknown';
  }
}

function globRoot(pattern: string, { cwd, hasBelow, canBeGone }: RootOptions): SearchRoot {
  if (pattern.length > MAX_PATTERN || (pattern.match(/\{/g) ?? []).length > 3) {
    const message = `The pattern "${pattern.slice(0, 80)}" is too long or has too many braces. Use several shorter ones.`;
    throw new ToolError({ code: 'invalid_arguments', message });
  }
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => MAGIC.test(part));
  const folder = resolve(cwd, parts.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.'));
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isThere && !canBeGone && !hasBelow(folder)) throw notThere(pattern, folder);
  const isMatch = picomatch(parts.slice(first).join('/'), { dot: true });
  const below = join(folder, '/');
  return {
    type: 'folder',
    path: folder,
    matches: (file) => file.startsWith(below) && isMatch(file.slice(below.length).split(sep).join('/')),
  };
}

function nothingNamed(): ToolError {
  const message = 'A path is empty. Name a file, a folder ("." for this one) or a pattern such as "docs/**/*.md".';
  return new ToolError({ code: 'invalid_arguments', message });
}

function notThere(pattern: string, path: string): ToolError {
  return new ToolError({
    code: 'not_found',
    message: `"${pattern}" is not there (${path}). Name a file, a folder or a pattern such as "docs/**/*.md".`,
  });
}

/** Returns a test for excluded paths. A pattern without a folder matches files of that name anywhere. */
export function compileExclude(patterns: readonly string[], cwd: string): (path: string) => boolean {
  const isMatch = picomatch([...patterns], { dot: true });
  return (path) => {
    const inside = relative(cwd, path).split(sep).join('/');
    return isMatch(inside) || isMatch(inside.split('/').at(-1) ?? inside);
  };
}
