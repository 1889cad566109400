import type { JsonSchema } from '../json.ts';
import type { Validation } from '../tool.ts';

/** A tool's schema from any library: its JSON Schema, and a check of values. */
export interface SchemaReader {
  /** Returns the JSON Schema of the input. Converted on first use. */
  jsonSchema(): JsonSchema;
  /** Checks a value. Never throws or rejects; returns a promise only for an async schema. */
  validate(value: unknown): Validation | Promise<Validation>;
}
