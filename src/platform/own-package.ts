import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The installed pegboard package. */
export interface OwnPackage {
  readonly folder: string;
  readonly version?: string;
  /** The file of the `pegboard` command, relative to the folder. */
  readonly bin?: string;
}

/** Finds the nearest package.json of this package above a folder. Default: the folder of this code. */
export function findOwnPackage(from: string = import.meta.dirname): OwnPackage {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      const { name, version, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (name === 'pegboard') return { folder, version: String(version), bin: bin?.pegboard };
    } catch {
      // Not here: try the parent folder.
    }
    if (dirname(folder) === folder) return { folder: from };
  }
}

export function readVersion(): string {
  return findOwnPackage().version ?? 'unknown';
}
