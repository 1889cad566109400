import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ToolError } from '../core/tool-error.ts';

const NAMES = ['pegboard.yaml', 'pegboard.yml', 'pegboard.json'];

/** The files a command is about: those that were named, or the nearest pegboard.yaml from the folder upwards. */
export function findConfig(files: readonly string[], cwd: string): readonly string[] {
  const found = tryFindConfig(files, cwd);
  if (found !== undefined) return found;
  throw new ToolError({
    code: 'not_found',
    message: `There is no ${NAMES.join(', ')} here or in a folder above. Name a config file, or write a first one with: pegboard init`,
  });
}

/** The same, or `undefined` when there is none. */
export function tryFindConfig(files: readonly string[], cwd: string): readonly string[] | undefined {
  if (files.length > 0) return files;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = NAMES.find((name) => existsSync(join(folder, name)));
    // As short as people would write it, for messages name it.
    if (found !== undefined) return [relative(cwd, join(folder, found))];
    if (dirname(folder) === folder) return undefined;
  }
}
