import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ToolIssue } from '../core/tool-error.ts';
import type { Validation } from '../core/tool.ts';

/** Takes an issue of any schema library: path parts may be objects with a key, and symbols. */
export function toIssue(issue: StandardSchemaV1.Issue): ToolIssue {
  // Not `path.map`: arktype's paths are arrays of a class of their own, and so would the result be.
  const path = Array.from(issue.path ?? [], (part) => {
    const key = typeof part === 'object' && part !== null ? part.key : part;
    return typeof key === 'number' ? key : String(key);
  });
  return { path, message: issue.message };
}

/** Turns what a schema threw while checking into an issue: a check never throws. */
export function thrownIssue(error: unknown): Validation {
  if (error instanceof RangeError)
    return { ok: false, issues: [{ path: [], message: 'is nested too deeply' }], cause: error };
  const message = `could not be checked: ${error instanceof Error ? error.message : String(error)}`;
  return { ok: false, issues: [{ path: [], message }], cause: error };
}
