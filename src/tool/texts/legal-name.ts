import { createHash } from 'node:crypto';

/** The longest name that every provider and client accepts. */
export const MAX_LEGAL_NAME = 64;

const LEGAL = /^[A-Za-z0-9_-]*$/;

/**
 * Converts a text to a name that is legal everywhere: 1 to 64 of `A-Z a-z 0-9 _ -`. Other characters become `_`.
 *
 * A longer name is cut and ends in a hash of `whole`, so that it is the same on every machine and at every start.
 */
export function toLegalName(text: string, { max = MAX_LEGAL_NAME, whole = text } = {}): string {
  const legal = LEGAL.test(text) ? text : text.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
  return legal.length <= max ? legal : withHash(legal, { max, whole });
}

/** Appends a hash of `whole` to a legal name, which distinguishes it from names that would otherwise be the same. */
export function withHash(legal: string, { max = MAX_LEGAL_NAME, whole }: { max?: number; whole: string }): string {
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${legal.slice(0, Math.max(0, max - hash.length - 1))}_${hash}`;
}
