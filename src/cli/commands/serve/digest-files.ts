import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A digest of a board's files as they are now: the same on every machine that has the same files, wherever they are. */
export function digestFiles(files: readonly { readonly file: string }[]): string {
  const hash = createHash('sha256');
  for (const { file } of files) {
    let text = '';
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      // It was deleted after it was read: that is a difference too.
    }
    hash.update(JSON.stringify([basename(file), text]));
  }
  return hash.digest('base64url').slice(0, 16);
}
