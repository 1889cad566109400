import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writePrivateFile } from '../../../platform/store/private-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { quickHash } from '../../../tool/texts/quick-hash.ts';
import { isVersion } from './version-range.ts';

/** An entry that names no exact version of its package. */
export interface RecordedEntry {
  /** The folder with the packages that boards installed. */
  readonly folder: string;
  readonly server: string;
  /** The package as the entry names it. */
  readonly text: string;
}

/** Returns the folder for packages in a board's data folder. */
export function packagesFolder(data: string): string {
  return join(data, 'packages');
}

/** Returns the version that an earlier start took for an entry. */
export function readRecord(entry: RecordedEntry): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(fileOf(entry), 'utf8'));
    const { text, version } = isPlainObject(value) ? value : {};
    return text === entry.text && typeof version === 'string' && isVersion(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

/** Records the version that an entry stands for, so that it stays the same and later starts need no network. */
export function writeRecord(entry: RecordedEntry, version: string): void {
  try {
    makeFolder(join(entry.folder, 'versions'), 0o700);
    const { server, text } = entry;
    writePrivateFile(fileOf(entry), JSON.stringify({ server, text, version }, undefined, 1));
  } catch {
    // The next start finds the version again.
  }
}

function fileOf({ folder, server, text }: RecordedEntry): string {
  return join(folder, 'versions', `${quickHash(JSON.stringify([server, text]))}.json`);
}
