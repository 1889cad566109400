import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'sha256:';

/** Characters that a token needs at least: fewer can be guessed. */
export const LEAST_TOKEN_LENGTH = 16;

/** Returns the stored form of a token: enough to recognise it, not enough to use it. */
export function hashToken(token: string): string {
  return PREFIX + createHash('sha256').update(token).digest('hex');
}

/** Compares two hashes in a time that does not tell how alike they are. */
export function isSameHash(first: string, second: string): boolean {
  const [one, other] = [Buffer.from(first), Buffer.from(second)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Makes a token of random bytes, too long to guess. */
export function createToken(): string {
  return `pb_${randomBytes(32).toString('base64url')}`;
}
