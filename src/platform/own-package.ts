import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The installed package that this code belongs to. */
export interface OwnPackage {
  readonly folder: string;
  readonly version?: string;
  /** The file of the `pegboard` command, relative to the folder. */
  readonly bin?: string;
}

/** Finds this package: the nearest package.json above a folder that has its name. Default: the folder of this code. */
export function findOwnPackage(from: string = import.meta.dirname): OwnPackage {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      const { name, version, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (name === 'pegboard') return { folder, version: String(version), bin: bin?.pegboard };
    } catch {
      // Not here: look further up.
    }
    if (dirname(folder) === folder) return { folder: from };
  }
}

/** The version of this package. */
export function readVersion(): string {
  return findOwnPackage().version ?? 'unknown';
}
