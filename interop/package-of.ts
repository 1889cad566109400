import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages of the run itself first, then those of the project. */
const ROOTS = [join(import.meta.dirname, 'node_modules'), join(import.meta.dirname, '../node_modules')];

/** The folder and version of an installed package; `undefined` when it is not installed. */
export function packageOf(name: string): { readonly folder: string; readonly version: string } | undefined {
  const folder = ROOTS.map((root) => join(root, name)).find((each) => existsSync(join(each, 'package.json')));
  if (folder === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { folder, version };
}
