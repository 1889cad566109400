import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describeValue } from '../texts/describe-value.ts';
import { isPlainObject, type JsonSchema } from '../json.ts';
import { ToolError } from '../tool-error.ts';
import { readJsonSchema } from './read-json-schema.ts';
import { compileZod, isZod, type SchemaReader, thrownIssue, toIssues } from './compile/compile-zod.ts';
import type { Validation } from '../tool.ts';
import { MAX_ISSUES } from './compile/check.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { messageOf } from '../texts/message-of.ts';

export type { SchemaReader } from './compile/compile-zod.ts';

/** Reads zod 4, any Standard Schema or a plain JSON Schema. Throws for anything else and for a faulty JSON Schema. */
export function readSchema(schema: unknown): SchemaReader {
  if (isStandardSchema(schema)) return readStandardSchema(schema);
  if (isPlainObject(schema) && !looksLikeOldZod(schema)) return readJsonSchema(schema);
  const given = looksLikeOldZod(schema) ? 'a zod 3 schema' : describeValue(schema);
  throw new ToolError({
    code: 'invalid_arguments',
    message:
      `A tool's schema must be a zod 4 schema, another Standard Schema (valibot, arktype) or a JSON Schema object ` +
      `such as { type: "object", properties: { … } }; got ${given}.`,
    field: 'schema',
    reason: `not a schema: ${given}`,
  });
}

/** Returns true for a zod 3 schema from before Standard Schema. */
function looksLikeOldZod(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && '_def' in schema && 'safeParse' in schema;
}

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
function readStandardSchema(schema: StandardSchemaV1): SchemaReader {
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

type Convert = (options: Readonly<Record<string, unknown>>) => unknown;

/** Converts a Standard Schema to the JSON Schema of its input, by its own method or its library's converter. */
function toJsonSchema(schema: StandardSchemaV1): JsonSchema {
  const { vendor } = schema['~standard'];
  let converted: unknown;
  try {
    converted = convert(schema, vendor);
  } catch (cause) {
    if (cause instanceof ToolError) throw cause;
    throw conversionError(`The ${vendor} schema has no JSON Schema: ${messageOf(cause)}`, cause);
  }
  if (!isPlainObject(converted)) throw conversionError(`The ${vendor} schema gave no JSON Schema object.`, undefined);
  const { $schema: _declared, '~standard': _standard, ...bare } = converted;
  return bare;
}

/** Throws when converting a schema needs a package that is not installed: models would not learn its parameters. */
function requireConverter(schema: StandardSchemaV1): void {
  const standard = schema['~standard'];
  if (standard.vendor === 'valibot' && ownConverter(standard) === undefined)
    peerFunction('@valibot/to-json-schema', 'toJsonSchema');
}

function convert(schema: StandardSchemaV1, vendor: string): unknown {
  const own = ownConverter(schema['~standard']);
  if (own !== undefined)
    return leniently((options) => own({ target: 'draft-2020-12', libraryOptions: options }), vendor);
  if (isZod(schema)) {
    const toJSONSchema = peerFunction('zod', 'toJSONSchema');
    return leniently((options) => toJSONSchema(schema, { io: 'input', ...options }), vendor);
  }
  if (vendor === 'valibot') {
    const toJsonSchema = peerFunction('@valibot/to-json-schema', 'toJsonSchema');
    return leniently((options) => toJsonSchema(schema, { typeMode: 'input', ...options }), vendor);
  }
  if (vendor === 'zod') {
    throw conversionError('A zod 3 schema has no JSON Schema. Use zod 4: npm install zod@4', undefined);
  }
  throw conversionError(
    `Schemas of ${vendor} cannot be turned into JSON Schema. Use a version that implements Standard JSON Schema ` +
      '(`~standard.jsonSchema`), or write the schema with zod 4, arktype, valibot or as plain JSON Schema.',
    undefined,
  );
}

const LENIENT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  zod: { unrepresentable: 'any' },
  valibot: { errorMode: 'ignore' },
  arktype: { fallback: ({ base }: { readonly base: unknown }) => base },
};

/** Converts strictly, then again leniently if JSON Schema cannot express a part. */
function leniently(convert: Convert, vendor: string): unknown {
  try {
    return convert({});
  } catch (error) {
    const options = LENIENT[vendor];
    if (options === undefined) throw error;
    return convert(options);
  }
}

function ownConverter(standard: object): Convert | undefined {
  const methods = 'jsonSchema' in standard ? standard.jsonSchema : undefined;
  if (typeof methods !== 'object' || methods === null || !('input' in methods)) return undefined;
  const { input } = methods;
  return typeof input === 'function' ? (options): unknown => input.call(methods, options) : undefined;
}

function peerFunction(specifier: string, name: string): (...values: readonly unknown[]) => unknown {
  const module = loadPeer(specifier, 'The JSON Schema of this tool');
  const found: unknown = Object(module)[name];
  if (typeof found !== 'function') {
    throw conversionError(
      `The installed "${specifier}" has no ${name}(). Update it: npm install ${specifier}`,
      undefined,
    );
  }
  return (...values): unknown => found(...values);
}

function conversionError(message: string, cause: unknown): ToolError {
  return new ToolError({ code: 'invalid_arguments', message, field: 'schema', reason: message, cause });
}
