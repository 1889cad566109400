import { isPlainObject } from '../../tool/json.ts';
import type { SchemaNode } from '../../tool/parameters/schema-node.ts';
import { Unportable } from './unportable.ts';

const MAX_DEPTH = 128;
const MAX_VALUES = 20_000;
const MAX_ALTERNATIVES = 500;
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

/** Returns a bounded copy of a schema as plain JSON. Throws `Unportable` if it is too big, too deep or circular. */
export function copySchema(schema: unknown): SchemaNode {
  let values = 0;
  const open = new Set<unknown>();
  const copy = (value: unknown, depth: number): unknown => {
    values += 1;
    if (values > MAX_VALUES) {
      throw new Unportable('(arguments)', 'schema size', 'The schema has more than 20,000 parts. Split the tool.');
    }
    if (typeof value !== 'object' || value === null) return value;
    if (open.has(value)) {
      throw new Unportable(
        '(arguments)',
        'circular schema',
        'The schema contains itself as a JavaScript object. Use $defs and $ref.',
      );
    }
    if (depth >= MAX_DEPTH) {
      throw new Unportable('(arguments)', 'schema depth', 'The schema is nested more than 64 levels deep. Flatten it.');
    }
    open.add(value);
    const result = Array.isArray(value)
      ? value.map((item) => copy(item, depth + 1))
      : Object.fromEntries(
          Object.entries(value)
            .filter(([key, inner]) => isJson(inner) && key !== '__proto__')
            .map(([key, inner]) => {
              if (LISTS.has(key) && Array.isArray(inner) && inner.length > MAX_ALTERNATIVES) {
                const message = `"${key}" has ${inner.length} parts; at most 500 are handled. Use fewer alternatives.`;
                throw new Unportable('(arguments)', 'schema size', message);
              }
              return [key, copy(inner, depth + 1)];
            }),
        );
    open.delete(value);
    return result;
  };
  const result = schema === true ? {} : copy(schema, 0);
  if (isPlainObject(result)) return result;
  throw new Unportable(
    '(arguments)',
    'top level object',
    'The input schema is not a JSON Schema object. Describe the arguments as one.',
  );
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint';
}
