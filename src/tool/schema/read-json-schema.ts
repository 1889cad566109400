import type { JsonSchema } from '../json.ts';
import { compileJsonSchema } from './compile/compile-json-schema.ts';
import { TYPE_NAMES } from './schema-dialect.ts';
import { compileDefaults, type Fill } from './compile/fill-defaults.ts';
import { Report } from './compile/check.ts';
import { type SchemaSurvey, surveySchema } from './compile/survey-schema.ts';
import { describeValue } from '../texts/describe-value.ts';
import { ToolError } from '../tool-error.ts';
import type { Validation } from '../tool.ts';
import { messageOf } from '../texts/message-of.ts';

interface ReadJsonSchemaOptions {
  /** Accepts schemas of any value, not only of an object. */
  readonly anyRoot?: boolean;
  /** Fills in missing keys that have a `default`. Default: true. */
  readonly defaults?: boolean;
  /** Skips the check of a schema that is known to be valid and has no references, which speeds up the start. */
  readonly isSound?: boolean;
}

export interface JsonSchemaReader {
  jsonSchema(): JsonSchema;
  validate(value: unknown): Validation;
}

/** Checks a plain JSON Schema and throws its faults. Compiles it with the first value. */
export function readJsonSchema(schema: JsonSchema, options: ReadJsonSchemaOptions = {}): JsonSchemaReader {
  const survey = surveySchema(options.isSound === true ? {} : schema);
  const faults = options.anyRoot === true ? survey.faults : [...rootFaults(schema), ...survey.faults];
  if (faults.length > 0) throw faultyError(faults);
  if (options.defaults === false) survey.hasDefaults = false;
  let validate: ((value: unknown) => Validation) | undefined;
  return {
    jsonSchema: () => schema,
    validate: (value) => {
      try {
        return (validate ??= compile(schema, survey))(value);
      } catch (error) {
        return { ok: false, issues: [{ path: [], message: explainThrown(error) }] };
      }
    },
  };
}

function compile(schema: JsonSchema, survey: SchemaSurvey): (value: unknown) => Validation {
  const check = compileJsonSchema(schema, survey);
  const fill: Fill | undefined = survey.hasDefaults ? compileDefaults(schema, survey.document) : undefined;
  return (given) => {
    const value = fill === undefined ? given : fill(given);
    if (check(value, undefined, undefined)) return { ok: true, value };
    const report = new Report();
    check(value, report, undefined);
    if (report.issues.length === 0) report.add('does not match the schema');
    return { ok: false, issues: report.issues.map(({ path, message }) => ({ path, message })) };
  };
}

/** Explains why a value could not be checked: too deep for the stack, or a getter that throws. */
function explainThrown(error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deeply';
  return `could not be checked: ${messageOf(error)}`;
}

function rootFaults(schema: JsonSchema): SchemaFault[] {
  const type = schema['type'];
  if (type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))) return [];
  const known: readonly unknown[] = TYPE_NAMES;
  if (!Array.isArray(type) && !known.includes(type)) return [];
  return [{ path: ['type'], message: `a tool's input is an object: use type: "object"; got ${describeValue(type)}` }];
}

function faultyError(faults: readonly SchemaFault[]): ToolError {
  const sentences = faults.map(({ path, message }) => {
    const place = path.length === 0 ? 'the top level' : showPath(path);
    return `Schema fault at ${place}: ${message}${message.endsWith('?') ? '' : '.'}`;
  });
  return new ToolError({
    code: 'invalid_arguments',
    message: sentences.slice(0, 5).join(' '),
    field: 'schema',
    reason: faults[0]?.message,
    issues: faults,
  });
}

/** Formats a path for people: `properties.limit`, `anyOf[0]`, `properties["odd key"]`. */
export function showPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((shown, part) => {
    if (typeof part === 'number') return `${shown}[${part}]`;
    if (!/^[\w$-]+$/.test(part)) return `${shown}[${JSON.stringify(part)}]`;
    return shown === '' ? part : `${shown}.${part}`;
  }, '');
}

export interface SchemaFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Finds faults in a JSON Schema document without compiling it. Never fetches anything. */
export function checkJsonSchema(schema: unknown): readonly SchemaFault[] {
  return surveySchema(schema).faults;
}
