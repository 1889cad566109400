import { surveySchema } from './compile/survey-schema.ts';

/** One thing that is wrong with a schema, and where in it. */
export interface SchemaFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Finds what is wrong with a JSON Schema document without compiling it. Never fetches anything. */
export function checkJsonSchema(schema: unknown): readonly SchemaFault[] {
  return surveySchema(schema).faults;
}
