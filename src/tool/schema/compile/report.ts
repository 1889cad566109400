import type { ToolIssue } from '../../tool-error.ts';

/** The most issues one validation gives: a model mends a few at a time. */
export const MAX_ISSUES = 20;

/** An issue, with what alternatives (`anyOf`, `oneOf`) need to know to merge theirs into one sentence. */
export interface ReportedIssue extends ToolIssue {
  /** The types that would have been right, when the type was wrong. */
  readonly expected?: readonly string[];
  /** The values that would have been right, when the value was not one of them. */
  readonly allowed?: readonly unknown[];
}

/** A check that is told to note what it finds. */
type ReportingCheck = (value: unknown, report: Report, seen: undefined) => boolean;

/** Collects what is wrong with a value, and where. Made only after the quick pass has failed. */
export class Report {
  readonly issues: ReportedIssue[] = [];
  readonly path: (string | number)[];

  constructor(path: readonly (string | number)[] = []) {
    this.path = [...path];
  }

  get full(): boolean {
    return this.issues.length >= MAX_ISSUES;
  }

  /** Notes an issue at the current path. Gives `false`, the outcome of the check. */
  add(message: string, hints?: Pick<ReportedIssue, 'expected' | 'allowed'>): false {
    if (!this.full) this.issues.push({ path: [...this.path], message, ...hints });
    return false;
  }

  /** Notes an issue at a key of the current value. */
  addAt(key: string | number, message: string): false {
    if (!this.full) this.issues.push({ path: [...this.path, key], message });
    return false;
  }

  /** Takes over issues another report found. */
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

  /** An empty report at the same place. */
  fork(): Report {
    return new Report(this.path);
  }
}

/** A number with its noun: `1 item`, `3 items`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
