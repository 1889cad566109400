import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Validation } from '../../tool.ts';
import type { SchemaReader } from '../schema-reader.ts';
import { thrownIssue, toIssues } from '../standard-issue.ts';
import { MAX_ISSUES } from './report.ts';

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
export interface ZodLike extends StandardSchemaV1 {
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
      // Does the same as `safeParse` without its result object, which is needed only to describe faults.
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
