import { globSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CONFIG_FILE = /\.(?:ya?ml|json)$/i;
/** Matches files that are not configs but export tools. */
export const CODE_FILE = /\.[cm]?[jt]s$/;
const GLOB = /[*?{[]/;

/** Lists the files that a path, a folder or a glob matches, in a fixed order. */
export function findFiles(pattern: string, cwd: string): string[] {
  // Braces multiply: a short pattern could match millions of names.
  if (pattern.includes('\0') || pattern.length > 1000 || (pattern.match(/\{/g) ?? []).length > 3) return [];
  const path = resolve(cwd, pattern);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return [path];
  if (stats?.isDirectory() === true) {
    return readdirSync(path)
      .filter((name) => CONFIG_FILE.test(name))
      .toSorted()
      .map((name) => join(path, name));
  }
  if (!GLOB.test(pattern)) return [];
  return globSync(pattern, { cwd })
    .map((file) => resolve(cwd, file))
    .filter((file) => CONFIG_FILE.test(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .toSorted();
}
