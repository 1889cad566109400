import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { findValues } from '../../tool/parameters/find-values.ts';
import { markedArguments } from '../../tool/parameters/marked-arguments.ts';

/** The arguments without the values of fields that are typed but not shown: `format: password` and `writeOnly`. */
export function hidePasswords(args: unknown, schema: JsonSchema | undefined): unknown {
  if (schema === undefined) return args;
  const names = passwordNames.get(schema) ?? markedArguments(schema, isPassword);
  passwordNames.set(schema, names);
  if (names.includes('')) return HIDDEN;
  return names.flatMap((name) => findValues(args, name)).reduce((shown, { path }) => hideAt(shown, path), args);
}

const HIDDEN = '[hidden]';
const passwordNames = new WeakMap<JsonSchema, readonly string[]>();

function isPassword({ format, writeOnly }: JsonSchema): boolean {
  return format === 'password' || writeOnly === true;
}

function hideAt(value: unknown, [step, ...rest]: readonly (string | number)[]): unknown {
  if (step === undefined) return HIDDEN;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? hideAt(item, rest) : item));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === step ? hideAt(item, rest) : item]),
  );
}
