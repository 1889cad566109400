import { isPlainObject, type JsonSchema } from '../../../tool/json.ts';

/** Arguments as CLImax would pass them on, with its error messages. */
export interface ClimaxArguments {
  readonly args: Record<string, unknown>;
  readonly errors: readonly string[];
}

/** Checks arguments by CLImax's rules and with its messages: required ones, types repaired, enums; unknown keys are dropped. */
export function readClimaxArguments(given: Readonly<Record<string, unknown>>, schema: JsonSchema): ClimaxArguments {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const errors = required
    .filter((name) => !Object.hasOwn(given, name))
    .map((name) => `Missing required argument '${name}'`);
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isPlainObject(property)) {
      if (schema['additionalProperties'] !== false) args[name] = value;
      continue;
    }
    const converted = convert(value, property['type']);
    if (converted === undefined) {
      errors.push(`Argument '${name}': cannot convert '${toText(value)}' to ${String(property['type'])}`);
      continue;
    }
    const { enum: values } = property;
    if (Array.isArray(values) && !values.map(String).includes(toText(converted)))
      errors.push(`Argument '${name}' must be one of: ${values.join(', ')}`);
    args[name] = converted;
  }
  return { args, errors };
}

/** Converts a value to a type. Returns `undefined` if that is impossible. */
function convert(value: unknown, type: unknown): unknown {
  switch (type) {
    case 'boolean':
      return toBoolean(value);
    case 'integer':
      return toNumber(value, /^\s*[+-]?\d+\s*$/, Math.trunc);
    case 'number':
      return toNumber(value, /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i, (number) => number);
    case 'string':
      return toText(value);
    default:
      return value;
  }
}

function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return value !== 0;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

function toNumber(value: unknown, form: RegExp, round: (number: number) => number): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? round(value) : undefined;
  return typeof value === 'string' && form.test(value) ? Number(value) : undefined;
}

/** Formats a value like Python, as CLImax's messages and commands do. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
