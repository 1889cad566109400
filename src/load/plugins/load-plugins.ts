import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isPlainObject } from '../../tool/json.ts';
import { isPlugin, type Plugin } from './define-plugin.ts';

/** A plugin that a file names, and the folder that a relative path or the search for a package starts in. */
interface NamedPlugin {
  readonly name: string;
  readonly folder: string;
}

/** Loads the plugins that a file or package exports. Throws with what to do when there is none. */
export async function loadPlugin({ name, folder }: NamedPlugin): Promise<Plugin[]> {
  const isFile = name.startsWith('.') || isAbsolute(name);
  const path = isFile ? resolve(folder, name) : findPackage(name, folder);
  const url = pathToFileURL(path);
  // Node never forgets a module: a file that changed is loaded anew at a reload.
  if (isFile && existsSync(path)) url.searchParams.set('v', hashOf(path));
  const module: unknown = await import(url.href);
  const found = Object.values(module as Record<string, unknown>).filter(isPlugin);
  if (found.length > 0) return [...new Set(found)];
  throw new Error(`exports no plugin. Write export default definePlugin({ kinds: […] }).`);
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('base64url');
}

/** The file of an installed package, looked for from the folder of the file that names it. */
function findPackage(name: string, folder: string): string {
  const { resolve: find } = createRequire(join(folder, 'pegboard.yaml'));
  try {
    return find(name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // A package for `import` alone.
    const main = code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' ? importedFile(name, folder) : undefined;
    if (main !== undefined) return main;
    throw new Error(`is not installed. Run npm install ${name} in ${folder}, or write a path that begins with ./`, {
      cause: error,
    });
  }
}

function importedFile(name: string, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const root = join(at, 'node_modules', name);
    if (existsSync(join(root, 'package.json'))) {
      const { exports }: { exports?: unknown } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const main = targetOf(isPlainObject(exports) && '.' in exports ? exports['.'] : exports);
      return main === undefined ? undefined : join(root, main);
    }
    if (dirname(at) === at) return undefined;
  }
}

function targetOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isPlainObject(value)) return undefined;
  const condition = Object.keys(value).find((key) => ['node', 'import', 'default'].includes(key));
  return condition === undefined ? undefined : targetOf(value[condition]);
}
