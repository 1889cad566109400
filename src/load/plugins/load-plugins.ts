import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isPlainObject } from '../../tool/json.ts';
import { isPlugin, type Plugin } from './define-plugin.ts';

/** A plugin that a file names, and the folder that a relative path or the search for a package starts in. */
interface NamedPlugin {
  readonly name: string;
  readonly folder: string;
}

/** A plugin that was found, and not loaded yet. */
export interface FoundPlugin {
  /** The file that is loaded. */
  readonly file: string;
  /** The folder of the package that has it; `undefined` for a file by itself. */
  readonly root: string | undefined;
}

/** Finds the file of a plugin. Throws with what to do when there is none. */
export function findPlugin({ name, folder }: NamedPlugin): FoundPlugin {
  if (!name.startsWith('.') && !isAbsolute(name)) return findPackage(name, folder);
  const file = resolve(folder, name);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new Error(`there is no file ${file}.`);
  return { file, root: undefined };
}

/** Loads the plugins that a file exports. Throws with what to do when there is none. */
export async function loadPlugin({ file, root }: FoundPlugin): Promise<Plugin[]> {
  const url = pathToFileURL(file);
  // Node never forgets a module: a file that changed is loaded anew at a reload.
  if (root === undefined) url.searchParams.set('v', hashPlugin({ file, root }));
  const module: unknown = await import(url.href).catch((error: unknown) => {
    throw placeOf(error);
  });
  const found = Object.values(module as Record<string, unknown>).filter(isPlugin);
  if (found.length > 0) return [...new Set(found)];
  throw new Error(`it exports no plugin. Write export default definePlugin({ kinds: […] }).`);
}

/** Node names the line of a mistake in TypeScript in the stack alone: `file:///…/sql.ts:3`. */
function placeOf(error: unknown): unknown {
  if (!(error instanceof SyntaxError)) return error;
  const [, address = '', line = ''] = /^(file:\S+?):(\d+)\n/.exec(error.stack ?? '') ?? [];
  return address === '' ? error : new Error(`${fileURLToPath(address)}:${line}: ${error.message}`, { cause: error });
}

/** The hash of a plugin's code: of its file, or of every file of its package. */
export function hashPlugin({ file, root }: FoundPlugin): string {
  const hash = createHash('sha256');
  if (root === undefined) hash.update(readFileSync(file));
  else addFolder(hash, root, { below: '', above: [] });
  return `sha256-${hash.digest('base64url')}`;
}

/**
 * Adds the files of a folder in order, each with its path and length, so that no two packages look alike. What links lead to
 * belongs to it, unless that is a folder `above`.
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

/** An installed package, looked for from the folder of the file that names it. */
function findPackage(name: string, folder: string): FoundPlugin {
  const root = packageFolder(name, folder);
  if (root === undefined && existsSync(join(folder, name))) {
    throw new Error(`it is a file, and files are named with ./ before them. Write "./${name}".`);
  }
  const missing = `it is not installed. Run npm install ${name} in ${folder}, or write a path that begins with ./`;
  if (root === undefined) throw new Error(missing);
  const file = importedFile(name, { root, folder });
  if (file === undefined) throw new Error(`${join(root, 'package.json')} names no file to import.`);
  // The lock has the hash of the package, and of nothing else.
  if (!isInside(file, root)) throw new Error(`it leads out of its package, to ${file}.`);
  return { file, root };
}

/** Whether a file stands in a folder, by way of its links or without them. */
function isInside(file: string, folder: string): boolean {
  const real = existsSync(file) ? realpathSync(file) : file;
  return [file, real].some((path) => [folder, realpathSync(folder)].some((one) => path.startsWith(`${one}${sep}`)));
}

/** The package of a name that may lead to a part of it: pegboard-sql for pegboard-sql/tools. */
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
    // A package without exports, or with patterns in them. The slash tells a package from a module of Node with its name.
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
