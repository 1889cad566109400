import type { Report } from './report.ts';

/**
 * Tells whether a value matches.
 *
 * Without a report it stops at the first fault and allocates nothing; with one it goes on and notes every fault.
 * `seen` is given only inside a schema with `unevaluatedProperties` or `unevaluatedItems`.
 */
export type Check = (value: unknown, report: Report | undefined, seen: Seen | undefined) => boolean;

/** What the compiler of one group of keywords needs from the compiler of the whole. */
export interface CompileContext {
  /** Compiles a schema inside the current one. */
  compile(schema: unknown): Check;
  /** The schema that a `$ref` leads to, or the schema itself where it has none. */
  follow(schema: unknown): unknown;
}

/** Accepts everything. */
export const acceptAll: Check = () => true;

/** Accepts nothing: the schema `false`. */
export const acceptNone: Check = (_value, report) => report !== undefined && report.add('is not allowed');

/** One check out of several: all must hold. */
export function allOf(checks: readonly Check[]): Check {
  const [first, second] = checks;
  if (first === undefined) return acceptAll;
  if (second === undefined) return first;
  if (checks.length === 2) {
    return (value, report, seen) => {
      const ok = first(value, report, seen);
      if (report === undefined && !ok) return false;
      return second(value, report, seen) && ok;
    };
  }
  return (value, report, seen) => {
    let ok = true;
    for (const check of checks) {
      if (check(value, report, seen)) continue;
      if (report === undefined) return false;
      ok = false;
    }
    return ok;
  };
}

/** Which parts of an object or array some keyword has looked at: what `unevaluated*` leaves alone. */
export interface Seen {
  allKeys: boolean;
  readonly keys: Set<string>;
  allItems: boolean;
  readonly items: Set<number>;
}

/** Nothing looked at yet. */
export function createSeen(): Seen {
  return { allKeys: false, keys: new Set(), allItems: false, items: new Set() };
}

/** Adds what an alternative that matched has looked at. */
export function mergeSeen(into: Seen, from: Seen): void {
  into.allKeys ||= from.allKeys;
  into.allItems ||= from.allItems;
  for (const key of from.keys) into.keys.add(key);
  for (const index of from.items) into.items.add(index);
}
