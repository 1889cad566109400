import { describeValue } from './describe-value.ts';
import { isPlainObject, type JsonSchema } from './json.ts';

const MAX_ENUM_VALUES = 12;

/** `path (string), encoding (utf-8|ascii, optional, default: utf-8)`: a tool's parameters on one line. */
export function describeParameters(schema: JsonSchema): string {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties)
    .map(([name, property]) => `${name} (${describeParameter(property, required.includes(name), schema)})`)
    .join(', ');
}

function describeParameter(property: unknown, isRequired: boolean, root: JsonSchema): string {
  const parts = [describeType(property, root)];
  const defaultValue = isPlainObject(property) ? property['default'] : undefined;
  if (!isRequired || defaultValue !== undefined) parts.push('optional');
  if (defaultValue !== undefined) parts.push(`default: ${plain(defaultValue)}`);
  return parts.join(', ');
}

/** A schema as one word or two: `string`, `integer`, `a|b`, `string[]`, `object`. */
function describeType(schema: unknown, root: JsonSchema = {}, depth = 0): string {
  if (!isPlainObject(schema) || depth > 4) return 'any';
  const { type, enum: values, const: constant, items, $ref } = schema;
  if (typeof $ref === 'string') return describeType(resolveLocal($ref, root), root, depth + 1);
  if (Array.isArray(values)) return describeEnum(values);
  if (constant !== undefined) return plain(constant);
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options)) {
    return [...new Set(options.map((option) => describeType(option, root, depth + 1)))].join('|');
  }
  if (type === 'array') {
    const item = items === undefined ? 'any' : describeType(items, root, depth + 1);
    return item.includes('|') ? `(${item})[]` : `${item}[]`;
  }
  if (Array.isArray(type)) return type.join('|');
  if (typeof type === 'string') return type;
  return isPlainObject(schema['properties']) ? 'object' : 'any';
}

function describeEnum(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_ENUM_VALUES).map(plain);
  if (values.length > MAX_ENUM_VALUES) shown.push(`… ${values.length - MAX_ENUM_VALUES} more`);
  return shown.join('|');
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '""' : value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : describeValue(value);
}

function resolveLocal(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined;
  let place: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    if (!isPlainObject(place)) return undefined;
    place = place[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return place;
}
