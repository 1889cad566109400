import { createHash } from 'node:crypto';

/** A short name for content and all that decides what becomes of it: equal hashes need no second look. */
export function hashContent(content: Uint8Array | string, settings: readonly (string | number)[]): string {
  return createHash('sha256')
    .update(JSON.stringify(settings))
    .update('\0')
    .update(content)
    .digest('base64url')
    .slice(0, 32);
}
