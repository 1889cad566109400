import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Validation } from '../../tool.ts';
import { MAX_ISSUES } from './check.ts';
import type { ToolIssue } from '../../tool-error.ts';
import { messageOf } from '../../texts/message-of.ts';
import type { JsonSchema } from '../../json.ts';

/** The used part of the result of zod 4's `safeParse`. */
type ZodResult =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly StandardSchemaV1.Issue[] } };

/** The input of a zod schema: the value, and the issues found so far. */
interface ZodPayload {
  value: unknown;
  readonly issues: unknown[];
}

/** A zod 4 or zod mini schema, without importing zod. */
interface ZodLike extends StandardSchemaV1 {
  readonly _zod: {
    run(payload: ZodPayload, context: { readonly async: boolean }): ZodPayload | Promise<ZodPayload>;
  };
  safeParse(value: unknown): ZodResult;
  safeParseAsync(value: unknown): Promise<ZodResult>;
}

/** Returns true for a zod 4 or zod mini schema, not for other libraries or zod 3. */
export function isZod(schema: StandardSchemaV1): schema is ZodLike {
  return '_zod' in schema && 'safeParse' in schema && 'safeParseAsync' in schema;
}

/** Validates values with zod directly. The `cause` of a failure is the `ZodError`. */
export function compileZod(schema: ZodLike): SchemaReader['validate'] {
  let mode: 'unknown' | 'synchronous' | 'asynchronous' = 'unknown';
  return (value) => {
    if (mode === 'asynchronous') return parseAsync(schema, value);
    try {
      if (mode === 'unknown') {
        // `safeParse` drops the promise of an async refinement: its rejection would end the process.
        const probe = schema._zod.run({ value, issues: [] }, { async: true });
        mode = probe instanceof Promise ? 'asynchronous' : 'synchronous';
        if (probe instanceof Promise) return finishProbe(schema, value, probe);
      }
      // Works like `safeParse` without creating its result object, which is needed only to describe faults.
      const checked = schema._zod.run({ value, issues: [] }, { async: false });
      if (!(checked instanceof Promise) && checked.issues.length === 0) return { ok: true, value: checked.value };
      const result = schema.safeParse(value);
      return result.success ? { ok: true, value: result.data } : failed(result.error);
    } catch (error) {
      if (!isAsyncError(error)) return thrownIssue(error);
      mode = 'asynchronous';
      return parseAsync(schema, value);
    }
  };
}

async function finishProbe(schema: ZodLike, value: unknown, probe: Promise<ZodPayload>): Promise<Validation> {
  try {
    const result = await probe;
    if (result.issues.length === 0) return { ok: true, value: result.value };
  } catch (error) {
    return thrownIssue(error);
  }
  return parseAsync(schema, value);
}

async function parseAsync(schema: ZodLike, value: unknown): Promise<Validation> {
  try {
    const result = await schema.safeParseAsync(value);
    return result.success ? { ok: true, value: result.data } : failed(result.error);
  } catch (error) {
    return thrownIssue(error);
  }
}

function failed(error: { readonly issues: readonly StandardSchemaV1.Issue[] }): Validation {
  return { ok: false, issues: error.issues.slice(0, MAX_ISSUES).flatMap(toIssues), cause: error };
}

/** Returns true for the error that zod throws when it meets a promise in a synchronous parse. */
function isAsyncError(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === '$ZodAsyncError';
}

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

/** A tool's schema from any library: its JSON Schema, and a check of values. */
export interface SchemaReader {
  /** Returns the JSON Schema of the input. Converted on first use. */
  jsonSchema(): JsonSchema;
  /** Checks a value. Never throws or rejects; returns a promise only for an async schema. */
  validate(value: unknown): Validation | Promise<Validation>;
}
