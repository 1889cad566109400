import type { SchemaDialect } from '../schema-dialect.ts';
import type { ToolIssue } from '../../tool-error.ts';

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
  compile(schema: unknown): Check;
  /** Returns the target of a `$ref`, or the schema itself without one. */
  follow(schema: unknown): unknown;
}

export const acceptAll: Check = () => true;

/** Accepts nothing, as the schema `false`. */
export const acceptNone: Check = (_value, report) => report !== undefined && report.add('is not allowed');

/** Combines checks that must all pass. */
export function allOf(checks: readonly Check[]): Check {
  const [first] = checks;
  if (first === undefined) return acceptAll;
  if (checks.length === 1) return first;
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

/** Maximum issues per validation: a model fixes a few at a time. */
export const MAX_ISSUES = 20;

/** An issue, with details for merging those of alternatives (`anyOf`, `oneOf`) into one sentence. */
export interface ReportedIssue extends ToolIssue {
  /** The correct types, for a wrong type. */
  readonly expected?: readonly string[];
  /** The allowed values, for a value that is not allowed. */
  readonly allowed?: readonly unknown[];
}

type ReportingCheck = (value: unknown, report: Report, seen: undefined) => boolean;

/** Collects the faults of a value with their paths. Created only after the quick check has failed. */
export class Report {
  readonly issues: ReportedIssue[] = [];
  readonly path: (string | number)[];

  constructor(path: readonly (string | number)[] = []) {
    this.path = [...path];
  }

  get full(): boolean {
    return this.issues.length >= MAX_ISSUES;
  }

  /** Adds an issue at the current path. Returns `false`, the outcome of the check. */
  add(message: string, hints?: Pick<ReportedIssue, 'expected' | 'allowed'>): false {
    if (!this.full) this.issues.push({ path: [...this.path], message, ...hints });
    return false;
  }

  /** Adds an issue at a key of the current value. */
  addAt(key: string | number, message: string): false {
    if (!this.full) this.issues.push({ path: [...this.path, key], message });
    return false;
  }

  adopt(issues: readonly ReportedIssue[]): false {
    for (const issue of issues) if (!this.full) this.issues.push(issue);
    return false;
  }

  /** Checks one item of the current value under its key. */
  at(key: string | number, check: ReportingCheck, item: unknown): boolean {
    this.path.push(key);
    const ok = check(item, this, undefined);
    this.path.pop();
    return ok;
  }

  fork(): Report {
    return new Report(this.path);
  }
}

/** Formats a number with its noun: `1 item`, `3 items`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Maximum references to follow for one value. A schema can require any number: two at each level double. */
const MAX_STEPS = 1_000_000;

/** Limits the time that a schema can make a check, a fill or a repair take. */
export interface StepLimit {
  /** Resets the count for the next value. */
  start(): void;
  /** Counts one step. Throws when there are too many. */
  step(): void;
}

export function createStepLimit(most: number = MAX_STEPS): StepLimit {
  let steps = 0;
  return {
    start() {
      steps = 0;
    },
    step() {
      if (++steps > most) throw new Error(`the schema takes more than ${most} steps`);
    },
  };
}
