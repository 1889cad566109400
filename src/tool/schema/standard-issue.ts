import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ToolIssue } from '../tool-error.ts';
import type { Validation } from '../tool.ts';
import { messageOf } from '../texts/message-of.ts';

/** An issue of zod for a union, with the issues of each alternative. */
interface UnionIssue extends StandardSchemaV1.Issue {
  readonly errors: readonly (readonly StandardSchemaV1.Issue[])[];
}

/** Converts an issue of any schema library. An issue of a union becomes those of the most likely alternative. */
export function toIssues(issue: StandardSchemaV1.Issue): ToolIssue[] {
  return unfold(issue, []);
}

function unfold(issue: StandardSchemaV1.Issue, above: readonly (string | number)[]): ToolIssue[] {
  const path = [...above, ...readPath(issue)];
  if (!isUnionIssue(issue)) return [{ path, message: issue.message }];
  const [best, second] = issue.errors
    .map((issues) => ({ issues, rank: rankOf(issues) }))
    .toSorted((a, b) => a.rank - b.rank);
  if (best !== undefined && best.rank !== second?.rank) return best.issues.flatMap((inner) => unfold(inner, path));
  const types = issue.errors.map(wrongType);
  const message = types.every((type) => type !== undefined)
    ? `Invalid input: expected ${[...new Set(types)].join(' or ')}`
    : `matches none of its ${issue.errors.length} alternatives`;
  return [{ path, message }];
}

/** Rates the distance of a value from an alternative: another type or another tag (`kind: "b"`) makes it unlikely. */
function rankOf(issues: readonly StandardSchemaV1.Issue[]): number {
  if (wrongType(issues) !== undefined) return 10_000;
  const marks = issues.filter((issue) => 'code' in issue && issue.code === 'invalid_value');
  // A missing key counts more against an alternative than a wrong value.
  const missing = issues.filter((issue) => issue.message.endsWith('received undefined'));
  return marks.length * 100 + issues.length + missing.length;
}

/** Returns the expected type of the value as a whole. */
function wrongType(issues: readonly StandardSchemaV1.Issue[]): string | undefined {
  const whole = issues.find((issue) => 'expected' in issue && readPath(issue).length === 0);
  return whole !== undefined && 'expected' in whole ? String(whole.expected) : undefined;
}

function isUnionIssue(issue: StandardSchemaV1.Issue): issue is UnionIssue {
  return 'errors' in issue && Array.isArray(issue.errors) && issue.errors.length > 0;
}

/** Reads a path, whose parts may be objects with a key, or symbols. */
function readPath(issue: StandardSchemaV1.Issue): (string | number)[] {
  // Not `path.map`: arktype's paths are arrays of a special class, and so would be the result.
  return Array.from(issue.path ?? [], (part) => {
    const key = typeof part === 'object' && part !== null ? part.key : part;
    return typeof key === 'number' ? key : String(key);
  });
}

/** Converts an error thrown by a schema to an issue, because checks never throw. */
export function thrownIssue(error: unknown): Validation {
  if (error instanceof RangeError)
    return { ok: false, issues: [{ path: [], message: 'is nested too deeply' }], cause: error };
  const message = `could not be checked: ${messageOf(error)}`;
  return { ok: false, issues: [{ path: [], message }], cause: error };
}
