import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isPlainObject, type JsonSchema } from '../json.ts';
import { ToolError } from '../tool-error.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { isZod } from './compile/compile-zod.ts';
import { messageOf } from '../texts/message-of.ts';

type Convert = (options: Readonly<Record<string, unknown>>) => unknown;

/** Converts a Standard Schema to the JSON Schema of its input, by its own method or its library's converter. */
export function toJsonSchema(schema: StandardSchemaV1): JsonSchema {
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

/** Throws when converting a schema needs a package that is not installed: models could not be told about the tool. */
export function requireConverter(schema: StandardSchemaV1): void {
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

/** Returns the schema's own Standard JSON Schema method, if any. */
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
