import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isPlainObject } from '../../tool/json.ts';
import { isPlugin, type Plugin } from './define-plugin.ts';

/** A plugin named by a file, and the folder where a relative path or the search for a package starts. */
interface NamedPlugin {
  readonly name: string;
  readonly folder: string;
}

export interface FoundPlugin {
  /** The file to load. */
  readonly file: string;
  /** The folder of its package; `undefined` for a single file. */
  readonly root: string | undefined;
}

/** Finds the file of a plugin. The error says what to do when there is none. */
export function findPlugin({ name, folder }: NamedPlugin): FoundPlugin {
  if (!name.startsWith('.') && !isAbsolute(name)) return findPackage(name, folder);
  const file = resolve(folder, name);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new Error(`there is no file ${file}.`);
  return { file, root: undefined };
}

/** Loads the plugins that a file exports. The error says what to do when there are none. */
export async function loadPlugin({ file, root }: FoundPlugin): Promise<Plugin[]> {
  const url = pathToFileURL(file);
  // Node caches modules: the query makes it load a changed file again.
  if (root === undefined) url.searchParams.set('v', hashPlugin({ file, root }));
  const module: unknown = await import(url.href).catch((error: unknown) => {
    throw placeOf(error);
  });
  const found = Object.values(module as Record<string, unknown>).filter(isPlugin);
  if (found.length > 0) return [...new Set(found)];
  throw new Error(`it exports no plugin. Write export default definePlugin({ kinds: […] }).`);
}

/** Adds the line of a TypeScript mistake to the message, because Node puts it only in the stack: `file:///…/sql.ts:3`. */
function placeOf(error: unknown): unknown {
  if (!(error instanceof SyntaxError)) return error;
  const [, address = '', line = ''] = /^(file:\S+?):(\d+)\n/.exec(error.stack ?? '') ?? [];
  return address === '' ? error : new Error(`${fileURLToPath(address)}:${line}: ${error.message}`, { cause: error });
}

/** Hashes a plugin's code: its file, or every file of its package. */
export function hashPlugin({ file, root }: FoundPlugin): string {
  const hash = createHash('sha256');
  if (root === undefined) hash.update(readFileSync(file));
  else addFolder(hash, root, { below: '', above: [] });
  return `sha256-${hash.digest('base64url')}`;
}

/**
 * Adds the files of a folder in order, each with its path and length, so that different packages have different hashes. Follows links,
 * except to a folder `above`.
 */
function addFolder(
  hash: Hash,
  root: string,
  { below, above }: { readonly below: string; readonly above: readonly string[] },
): void {
  const real = realpathSync(join(root, below));
  if (above.includes(real)) return;
  for (const name of readdirSync(real).toSorted()) {
    if (name === 'node_modules' || name === '.git') continue;
    const [path, full] = [join(below, name), join(real, name)];
    const stats = statSync(full, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) {
      addFolder(hash, root, { below: path, above: [...above, real] });
      continue;
    }
    const content = stats === undefined ? Buffer.from(readlinkSync(full)) : readFileSync(full);
    hash.update(`${path.replaceAll(sep, '/')}\0${content.length}\0`).update(content);
  }
}

/** Finds an installed package, starting from the folder of the file that names it. */
function findPackage(name: string, folder: string): FoundPlugin {
  const root = packageFolder(name, folder);
  if (root === undefined && existsSync(join(folder, name))) {
    throw new Error(`it is a file, and files are named with ./ before them. Write "./${name}".`);
  }
  const missing = `it is not installed. Run npm install ${name} in ${folder}, or write a path that begins with ./`;
  if (root === undefined) throw new Error(missing);
  const file = importedFile(name, { root, folder });
  if (file === undefined) throw new Error(`${join(root, 'package.json')} names no file to import.`);
  // The lock contains only the hash of the package.
  if (!isInside(file, root)) throw new Error(`it resolves to a file outside its package: ${file}.`);
  return { file, root };
}

/** Returns true when a file is in a folder, with or without following links. */
function isInside(file: string, folder: string): boolean {
  const real = existsSync(file) ? realpathSync(file) : file;
  return [file, real].some((path) => [folder, realpathSync(folder)].some((one) => path.startsWith(`${one}${sep}`)));
}

/** Returns the package of a name that may include a subpath: pegboard-sql for pegboard-sql/tools. */
function packageOf(name: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
}

function packageFolder(name: string, folder: string): string | undefined {
  const own = packageOf(name);
  for (let at = folder; ; at = dirname(at)) {
    const root = join(at, 'node_modules', own);
    if (existsSync(join(root, 'package.json'))) return root;
    if (dirname(at) === at) return undefined;
  }
}

function importedFile(
  name: string,
  { root, folder }: { readonly root: string; readonly folder: string },
): string | undefined {
  const { exports }: { exports?: unknown } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const part = `.${name.slice(packageOf(name).length)}`;
  const hasParts = isPlainObject(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  const target = hasParts ? targetOf(exports[part]) : part === '.' ? targetOf(exports) : undefined;
  if (target !== undefined) return join(root, target);
  try {
    // A package without exports, or with patterns in them. The slash distinguishes a package from a Node module of the same name.
    return createRequire(join(folder, 'pegboard.yaml')).resolve(isBuiltin(name) ? `${name}/` : name);
  } catch {
    return undefined;
  }
}

function targetOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isPlainObject(value)) return undefined;
  const condition = Object.keys(value).find((key) => ['node', 'import', 'default'].includes(key));
  return condition === undefined ? undefined : targetOf(value[condition]);
}
