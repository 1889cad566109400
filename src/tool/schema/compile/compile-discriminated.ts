import { isPlainObject, type JsonSchema } from '../../json.ts';
import type { Check, CompileContext } from './check.ts';

/**
 * Compiles alternatives that one key tells apart: each requires it and gives it a value of its own.
 *
 * Then at most one can match, so only that one is asked, and compiled when it is first asked. Gives `undefined` for
 * alternatives of any other kind. `others` answers for values that name none of them.
 */
export function compileDiscriminated(
  schemas: readonly unknown[],
  context: CompileContext,
  others: () => Check,
): Check | undefined {
  const key = findKey(schemas);
  if (key === undefined) return undefined;
  const branches = new Map(schemas.filter(isPlainObject).map((schema) => [constantOf(schema, key), schema]));
  const compiled = new Map<unknown, Check>();
  let rest: Check | undefined;
  return (value, report, seen) => {
    const name = isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    let check = compiled.get(name);
    if (check === undefined && branches.has(name)) compiled.set(name, (check = context.compile(branches.get(name))));
    check ??= rest ??= others();
    return check(value, report, seen);
  };
}

/** The one key that every alternative requires with a text of its own. */
function findKey(schemas: readonly unknown[]): string | undefined {
  const [first] = schemas;
  if (schemas.length < 2 || !isPlainObject(first) || !Array.isArray(first['required'])) return undefined;
  return first['required'].find((key: unknown): key is string => {
    if (typeof key !== 'string') return false;
    const values = schemas.map((schema) => (isPlainObject(schema) ? constantOf(schema, key) : undefined));
    return values.every((value) => typeof value === 'string') && new Set(values).size === schemas.length;
  });
}

function constantOf(schema: JsonSchema, key: string): unknown {
  const { properties, required, $ref } = schema;
  if ($ref !== undefined || !Array.isArray(required) || !required.includes(key)) return undefined;
  const property = isPlainObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isPlainObject(property) ? property['const'] : undefined;
}
