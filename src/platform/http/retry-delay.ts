import type { HttpClock } from './http-clock.ts';

const FIRST_DELAY = 250;
const LONGEST_DELAY = 10_000;

/** Milliseconds that a `Retry-After` header asks for, given as seconds or as a date; `undefined` if it cannot be read. */
export function parseRetryAfter(header: string, now: number): number | undefined {
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Dates have letters; a parser that takes anything would make a year of a number.
  const date = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Milliseconds before attempt `attempt + 1`: twice as long each time, up to half of it left to chance. */
export function backoff(attempt: number, clock: HttpClock): number {
  const full = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * clock.random();
}
