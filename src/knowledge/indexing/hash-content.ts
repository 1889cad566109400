import { createHash } from 'node:crypto';

/** Hashes content together with the settings it is indexed with: the same hash needs no new indexing. */
export function hashContent(content: Uint8Array | string, settings: readonly (string | number)[]): string {
  return createHash('sha256')
    .update(JSON.stringify(settings))
    .update('\0')
    .update(content)
    .digest('base64url')
    .slice(0, 32);
}
