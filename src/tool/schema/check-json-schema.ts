import { surveySchema } from './compile/survey-schema.ts';

/** A fault in a schema, with its place. */
export interface SchemaFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Finds faults in a JSON Schema document without compiling it. Never fetches anything. */
export function checkJsonSchema(schema: unknown): readonly SchemaFault[] {
  return surveySchema(schema).faults;
}
