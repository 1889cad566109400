import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Computes a digest of a board's current files, which is the same on every machine with the same files. */
export function digestFiles(files: readonly { readonly file: string }[]): string {
  const hash = createHash('sha256');
  for (const { file } of files) {
    let text = '';
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      // A file deleted since it was read also counts as a difference.
    }
    hash.update(JSON.stringify([basename(file), text]));
  }
  return hash.digest('base64url').slice(0, 16);
}
