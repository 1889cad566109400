import type { JsonSchema } from '../json.ts';
import type { Validation } from '../tool.ts';

/** A tool's schema, whichever library it comes from: its JSON Schema, and a way to check values. */
export interface SchemaReader {
  /** JSON Schema of what a caller sends. Converted on first use. */
  jsonSchema(): JsonSchema;
  /** Checks a value. Never throws and never rejects; a promise only when the schema is asynchronous. */
  validate(value: unknown): Validation | Promise<Validation>;
}
