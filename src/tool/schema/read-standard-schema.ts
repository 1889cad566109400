import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonSchema } from '../json.ts';
import type { Validation } from '../tool.ts';
import { compileZod, isZod } from './compile/compile-zod.ts';
import { MAX_ISSUES } from './compile/report.ts';
import type { SchemaReader } from './schema-reader.ts';
import { thrownIssue, toIssues } from './standard-issue.ts';
import { requireConverter, toJsonSchema } from './to-json-schema.ts';

/** Returns true for a Standard Schema (zod, valibot, arktype and others). Some of them are functions. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  if (!('~standard' in value)) return false;
  const standard = value['~standard'];
  return (
    typeof standard === 'object' &&
    standard !== null &&
    'validate' in standard &&
    typeof standard.validate === 'function'
  );
}

/** Reads a schema through the Standard Schema interface, or zod's own for zod. Throws when its library lacks a package. */
export function readStandardSchema(schema: StandardSchemaV1): SchemaReader {
  requireConverter(schema);
  let converted: JsonSchema | undefined;
  return {
    jsonSchema: () => (converted ??= toJsonSchema(schema)),
    validate: isZod(schema) ? compileZod(schema) : compileStandard(schema),
  };
}

function compileStandard(schema: StandardSchemaV1): SchemaReader['validate'] {
  const standard = schema['~standard'];
  return (value) => {
    try {
      const result = standard.validate(value);
      if ('then' in result) return Promise.resolve(result).then(toValidation).catch(thrownIssue);
      return toValidation(result);
    } catch (error) {
      return thrownIssue(error);
    }
  };
}

function toValidation(result: StandardSchemaV1.Result<unknown>): Validation {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.slice(0, MAX_ISSUES).flatMap(toIssues) };
}
