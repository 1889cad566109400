import { type Stats, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { ToolError } from '../../../tool/tool-error.ts';

/** Where files are looked for, and which of them are meant. */
export interface SearchRoot {
  readonly type: 'file' | 'folder';
  /** Absolute. A file that is not there (any more) counts as one. */
  readonly path: string;
  /** Whether a file below the folder is meant, by its absolute path. */
  matches(path: string): boolean;
}

const MAGIC = /[*?{}[\]!()]/;
const MAX_PATTERN = 1000;

/** What decides whether something that is not there is a mistake. */
interface RootOptions {
  readonly cwd: string;
  /** Whether a document of this path was indexed. */
  readonly isKnown: (path: string) => boolean;
  /** Whether any document below this folder was indexed. */
  readonly hasBelow: (folder: string) => boolean;
  /** Whether paths may be gone without a fault: those of a run that is done again. */
  readonly canBeGone: boolean;
}

/** Turns what a person typed into roots. Throws `not_found` for a folder or pattern that cannot lead anywhere. */
export function toSearchRoots(patterns: readonly string[], options: RootOptions): SearchRoot[] {
  const { cwd, isKnown, hasBelow, canBeGone } = options;
  return patterns.map((pattern) => {
    // A shell gives this for a variable that is not set; the whole folder is not what the caller means.
    if (pattern.trim() === '') throw nothingNamed();
    const path = resolve(cwd, pattern);
    const stats = look(path);
    if (stats === 'unknown') return { type: 'file', path, matches: (file) => file === path };
    if (stats?.isDirectory() === true) return { type: 'folder', path, matches: () => true };
    // A path that was indexed and is gone counts too: its documents are deleted.
    if (stats !== undefined || isKnown(path)) return { type: 'file', path, matches: (file) => file === path };
    // A folder whose name looks like a pattern may be gone as well.
    if (MAGIC.test(pattern) && !hasBelow(path)) return globRoot(pattern, options);
    if (!canBeGone && !hasBelow(path)) throw notThere(pattern, path);
    return { type: 'folder', path, matches: () => true };
  });
}

/** `unknown` for what may not be looked at, or is a link to itself: the report says so. */
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
