import type { SchemaDialect } from '../schema-dialect.ts';
import type { Report } from './report.ts';

/**
 * Returns true when a value matches.
 *
 * Without a report it stops at the first fault and allocates nothing; with one it continues and notes every fault. `seen` is passed only
 * inside a schema with `unevaluatedProperties` or `unevaluatedItems`.
 */
export type Check = (value: unknown, report: Report | undefined, seen: Seen | undefined) => boolean;

/** Services of the main compiler for the compilers of keyword groups. */
export interface CompileContext {
  readonly dialect: SchemaDialect;
  /** Compiles a subschema. */
  compile(schema: unknown): Check;
  /** Returns the target of a `$ref`, or the schema itself without one. */
  follow(schema: unknown): unknown;
}

export const acceptAll: Check = () => true;

/** Accepts nothing, as the schema `false`. */
export const acceptNone: Check = (_value, report) => report !== undefined && report.add('is not allowed');

/** Combines checks that must all pass. */
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

/** The parts of an object or array that keywords have evaluated, which `unevaluated*` ignores. */
export interface Seen {
  allKeys: boolean;
  readonly keys: Set<string>;
  allItems: boolean;
  readonly items: Set<number>;
}

export function createSeen(): Seen {
  return { allKeys: false, keys: new Set(), allItems: false, items: new Set() };
}

/** Adds the parts that a matching alternative has evaluated. */
export function mergeSeen(into: Seen, from: Seen): void {
  into.allKeys ||= from.allKeys;
  into.allItems ||= from.allItems;
  for (const key of from.keys) into.keys.add(key);
  for (const index of from.items) into.items.add(index);
}
