import { describeValue } from '../texts/describe-value.ts';
import { isPlainObject } from '../json.ts';
import { ToolError } from '../tool-error.ts';
import { readJsonSchema } from './read-json-schema.ts';
import { isStandardSchema, readStandardSchema } from './read-standard-schema.ts';
import type { SchemaReader } from './schema-reader.ts';

export type { SchemaReader } from './schema-reader.ts';

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
