import ignore, { type Ignore } from 'ignore';
import { constants, type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isBinaryName, isGenerated } from '../document-format.ts';
import type { SearchRoot } from './search-roots.ts';
import { open } from 'node:fs/promises';

/** A file to read, or a skipped one with the reason. */
export type FoundFile =
  | {
      readonly type: 'file';
      readonly path: string;
      readonly size: number;
      readonly mtimeMs: number;
      readonly ctimeMs: number;
    }
  | {
      readonly type: 'skipped';
      readonly path: string;
      readonly reason: string;
      /** True if it could not be read: its documents stay. */
      readonly isUnknown: boolean;
    };

export interface FindDocumentsOptions {
  /** Includes files and folders whose names start with a dot. */
  readonly hidden?: boolean | undefined;
  /** Returns true for absolute paths to skip. */
  readonly exclude?: ((path: string) => boolean) | undefined;
  /** Called with each folder before it is read. */
  readonly onFolder?: ((folder: string) => void) | undefined;
}

const SAVED_PAGE = /^(.+)\.x?html?$/i;
/** Temporary files that Office and editors create beside a document. */
const BESIDE_OPEN = /^~\$|~$|^#.*#$|___jb_(?:tmp|old)___$/;
const NEVER: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules']);

/**
 * Finds the files of the roots, each once, folder by folder in the order of names, except those that `.gitignore` files
 * exclude.
 */
export function* findDocuments(roots: readonly SearchRoot[], options: FindDocumentsOptions = {}): Generator<FoundFile> {
  const seen = new Set<string>();
  const isTop = (folder: string): boolean => existsSync(join(folder, '.git'));
  for (const root of roots) {
    const found =
      root.type === 'file'
        ? lookAt(root.path, true)
        : walk(root.path, readIgnoreRules(root.path, isTop), { root, options });
    for (const file of found) {
      if (seen.has(file.path)) continue;
      seen.add(file.path);
      yield file;
    }
  }
}

interface Walk {
  readonly root: SearchRoot;
  readonly options: FindDocumentsOptions;
}

function* walk(folder: string, rules: IgnoreRules, scope: Walk): Generator<FoundFile> {
  let entries: Dirent[];
  scope.options.onFolder?.(folder);
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') yield skip(folder, 'no longer exists');
    else yield skip(join(folder, sep), `cannot be opened (${code})`, true);
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const pages = new Set(entries.flatMap(({ name }) => SAVED_PAGE.exec(name)?.[1] ?? []));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory();
    // Scripts, styles and images that a browser saved with a page.
    if (isFolder && pages.has(entry.name.replace(/_files$/, '')) && entry.name.endsWith('_files')) continue;
    if (isLeftOut(entry, path, scope) || rules.ignores(path, isFolder)) continue;
    if (isFolder) yield* walk(path, rules.enter(path), scope);
    else if (!scope.root.matches(path)) continue;
    else if (entry.isSymbolicLink()) yield skip(path, 'is a link; name its target');
    else if (entry.isFile()) yield* lookAt(path, false);
    else yield skip(path, 'is not a regular file');
  }
}

function isLeftOut({ name }: Dirent, path: string, { options }: Walk): boolean {
  if (NEVER.has(name) || BESIDE_OPEN.test(name) || options.exclude?.(path) === true) return true;
  return name.startsWith('.') && options.hidden !== true;
}

/** Checks a file. A named file is read unless it is too large; one found in a folder must look like something people wrote. */
function* lookAt(path: string, isNamed: boolean): Generator<FoundFile> {
  if (!isNamed && isGenerated(path)) return yield skip(path, 'is generated');
  if (!isNamed && isBinaryName(path)) return yield skip(path, 'is a binary file');
  try {
    const stats = statSync(path);
    const { size, mtimeMs, ctimeMs } = stats;
    if (!stats.isFile()) yield skip(path, 'is not a regular file');
    else if (size === 0) yield skip(path, 'is empty');
    else if (size > MAX_FILE_BYTES) yield skip(path, TOO_LARGE);
    else yield { type: 'file', path, size, mtimeMs, ctimeMs };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') yield skip(path, 'no longer exists');
    else yield skip(path, `cannot be read (${code})`, true);
  }
}

function skip(path: string, reason: string, isUnknown = false): FoundFile {
  return { type: 'skipped', path, reason, isUnknown };
}

/** Returns the system's code of a file error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** The ignore files that apply to a folder, nearest last. */
interface IgnoreRules {
  ignores(path: string, isFolder: boolean): boolean;
  /** Returns the rules of a subfolder: these and its own. */
  enter(folder: string): IgnoreRules;
}

interface Layer {
  readonly folder: string;
  readonly rules: Ignore;
}

/** Reads the rules for a folder, including those of its parent folders up to the top of its repository. */
function readIgnoreRules(folder: string, isRepositoryTop: (folder: string) => boolean): IgnoreRules {
  const folders = [folder];
  while (!isRepositoryTop(folders[0] ?? folder)) {
    const above = dirname(folders[0] ?? folder);
    // Outside a repository only the folder's own file applies.
    if (above === folders[0]) return toRules(readLayer(folder));
    folders.unshift(above);
  }
  return toRules(folders.flatMap(readLayer));
}

function toRules(layers: readonly Layer[]): IgnoreRules {
  return {
    ignores: (path, isFolder) => {
      let isIgnored = false;
      for (const { folder, rules } of layers) {
        const inside = relative(folder, path).split(sep).join('/');
        const { ignored, unignored } = rules.test(isFolder ? `${inside}/` : inside);
        // The nearest file with a matching rule decides.
        if (ignored) isIgnored = true;
        else if (unignored) isIgnored = false;
      }
      return isIgnored;
    },
    enter: (folder) => {
      const own = readLayer(folder);
      return own.length === 0 ? toRules(layers) : toRules([...layers, ...own]);
    },
  };
}

function readLayer(folder: string): Layer[] {
  try {
    return [{ folder, rules: ignore().add(readFileSync(join(folder, '.gitignore'), 'utf8')) }];
  } catch {
    return [];
  }
}

/** Larger files are skipped, even if named: people do not write them. */
export const MAX_FILE_BYTES = 20_000_000;

/** The reason for skipping them. */
export const TOO_LARGE = `is larger than ${MAX_FILE_BYTES / 1_000_000} MB; split it`;

const PIECE = 1_000_000;

/**
 * Reads a found file, or returns the reason to skip it. Throws errors of the system.
 *
 * The file may have changed meanwhile: to one that grows without end, or to a pipe without a writer.
 */
export async function readDocumentFile(
  path: string,
): Promise<{ readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly reason: string }> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { ok: false, reason: 'is not a regular file' };
    const pieces: Buffer[] = [];
    let size = 0;
    for (;;) {
      // One byte more than its size, to detect its end.
      const wanted = Math.min(Math.max(stats.size - size, 0) + 1, PIECE);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, null);
      if (bytesRead === 0) break;
      size += bytesRead;
      if (size > MAX_FILE_BYTES) return { ok: false, reason: TOO_LARGE };
      pieces.push(buffer.subarray(0, bytesRead));
    }
    if (size === 0) return { ok: false, reason: 'is empty' };
    const [first = Buffer.alloc(0)] = pieces;
    return { ok: true, bytes: pieces.length === 1 ? first : Buffer.concat(pieces, size) };
  } finally {
    await file.close();
  }
}
