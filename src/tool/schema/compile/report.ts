import type { ToolIssue } from '../../tool-error.ts';

/** Maximum issues per validation: a model fixes a few at a time. */
export const MAX_ISSUES = 20;

/** An issue, with details for merging those of alternatives (`anyOf`, `oneOf`) into one sentence. */
export interface ReportedIssue extends ToolIssue {
  /** The correct types, for a wrong type. */
  readonly expected?: readonly string[];
  /** The allowed values, for a value that is not allowed. */
  readonly allowed?: readonly unknown[];
}

/** A check with a report. */
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

  /** Adds the issues of another report. */
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

  /** Creates an empty report at the same path. */
  fork(): Report {
    return new Report(this.path);
  }
}

/** Formats a number with its noun: `1 item`, `3 items`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
