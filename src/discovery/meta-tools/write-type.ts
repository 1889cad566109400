import { isPlainObject, type JsonSchema } from '../../core/json.ts';
import { listProperties, type Property } from './list-properties.ts';
import { resolveReference } from './resolve-reference.ts';

/** How much of a type is spelt out. */
export interface TypeStyle {
  /** Levels of objects whose fields are written; deeper ones are `{…}`. */
  readonly depth: number;
  /** Values of an enum that are written. */
  readonly values: number;
}

/** Where the writer is: the whole schema, the references that are open, and those that led back to themselves. */
interface Place extends TypeStyle {
  readonly root: JsonSchema;
  readonly open: readonly string[];
  readonly recursive: Set<string>;
}

const MAX_LITERAL = 40;
const MAX_STEPS = 40;

/** A JSON Schema as a short type: `{ field: string, op?: "eq"|"lt" = "eq" }[]`. References are followed, loops are not. */
export function writeType(schema: unknown, root: JsonSchema, style: TypeStyle): string {
  return write(schema, { ...style, root, open: [], recursive: new Set() });
}

/** The fields of an object schema as they stand between its braces, one text each. */
export function writeFields(schema: JsonSchema, root: JsonSchema, style: TypeStyle): string[] {
  const place = { ...style, root, open: ['#'], recursive: new Set<string>() };
  return fieldsOf(schema, place);
}

function write(schema: unknown, place: Place): string {
  if (schema === false) return 'never';
  if (!isPlainObject(schema) || place.open.length > MAX_STEPS) return 'any';
  const { $ref, enum: values } = schema;
  if (typeof $ref === 'string') return writeReference($ref, place);
  if (Array.isArray(values)) return writeEnum(values, place.values);
  if ('const' in schema) return writeLiteral(schema['const']);
  const parts = [writeOwn(schema, place), writeBranches(schema, place)].filter((part) => part !== undefined);
  const written = parts.length > 1 ? parts.map(enclose).join(' & ') : (parts[0] ?? 'any');
  return schema['nullable'] === true && !/\bnull$/.test(written) ? `${written}|null` : written;
}

/** The type that a schema says itself, whatever its alternatives add. */
function writeOwn(schema: JsonSchema, place: Place): string | undefined {
  const { type } = schema;
  if (Array.isArray(type)) return unite(type.map((one) => writeTyped(one, schema, place)));
  if (typeof type === 'string') {
    const isBare = type === 'object' && listProperties(schema, place.root).length === 0 && !isOpen(schema);
    // `type: object` beside alternatives that are objects says nothing more.
    return isBare && branchesOf(schema).some((branch) => 'properties' in branch || '$ref' in branch)
      ? undefined
      : writeTyped(type, schema, place);
  }
  if ('properties' in schema || 'additionalProperties' in schema || 'allOf' in schema) {
    return writeTyped('object', schema, place);
  }
  return 'items' in schema || 'prefixItems' in schema ? writeTyped('array', schema, place) : undefined;
}

function writeTyped(type: unknown, schema: JsonSchema, place: Place): string {
  switch (type) {
    case 'array':
      return writeArray(schema, place);
    case 'object':
      return writeObject(schema, place);
    default:
      return typeof type === 'string' ? type : 'any';
  }
}

function branchesOf(schema: JsonSchema): Record<string, unknown>[] {
  const branches = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(branches) ? branches.filter(isPlainObject) : [];
}

/** Alternatives; those that only say which fields are required are left to the checks. */
function writeBranches(schema: JsonSchema, place: Place): string | undefined {
  const told = branchesOf(schema).filter((branch) =>
    ['type', '$ref', 'enum', 'const', 'properties', 'items', 'anyOf', 'oneOf', 'allOf'].some((key) => key in branch),
  );
  return told.length === 0 ? undefined : unite(told.map((branch) => write(branch, place)));
}

function writeReference(reference: string, place: Place): string {
  const name = reference === '#' ? 'Self' : (reference.split(/[/#]/).at(-1) ?? 'Self');
  if (place.open.includes(reference)) {
    place.recursive.add(reference);
    return name;
  }
  const target = resolveReference(reference, place.root);
  if (target === undefined) return 'any';
  const written = write(target, { ...place, open: [...place.open, reference] });
  // Named only where it comes back to itself.
  return place.recursive.has(reference) && written.startsWith('{ ') ? `${name}${written}` : written;
}

function writeArray(schema: JsonSchema, place: Place): string {
  const { items, prefixItems } = schema;
  const fixed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (fixed !== undefined) return `[${fixed.map((item) => write(item, place)).join(', ')}]`;
  return items === undefined ? 'any[]' : `${enclose(write(items, place))}[]`;
}

function writeObject(schema: JsonSchema, place: Place): string {
  const isEmpty = listProperties(schema, place.root).length === 0 && !isOpen(schema);
  if (isEmpty) return 'object';
  return place.depth <= 0 ? '{…}' : `{ ${fieldsOf(schema, { ...place, depth: place.depth - 1 }).join(', ')} }`;
}

function fieldsOf(schema: JsonSchema, place: Place): string[] {
  const fields = listProperties(schema, place.root).map((property) => writeField(property, place));
  const { additionalProperties: more, patternProperties: patterns } = schema;
  if (isPlainObject(patterns)) fields.push(...Object.values(patterns).map((other) => `[key]: ${write(other, place)}`));
  if (more === true || isPlainObject(more)) fields.push(`[key]: ${write(more, place)}`);
  return fields;
}

function writeField({ name, schema, isRequired }: Property, place: Place): string {
  const key = /^[\w$-]+$/.test(name) ? name : JSON.stringify(name);
  const fallback = isPlainObject(schema) ? schema['default'] : undefined;
  const optional = isRequired && fallback === undefined ? '' : '?';
  return `${key}${optional}: ${write(schema, place)}${fallback === undefined ? '' : ` = ${writeLiteral(fallback)}`}`;
}

function isOpen({ additionalProperties, patternProperties }: JsonSchema): boolean {
  return additionalProperties === true || isPlainObject(additionalProperties) || isPlainObject(patternProperties);
}

function writeEnum(values: readonly unknown[], limit: number): string {
  const shown = values.slice(0, limit).map(writeLiteral);
  const left = values.length - shown.length;
  return [...shown, ...(left > 0 ? [`…${left} more`] : [])].join('|');
}

function writeLiteral(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > MAX_LITERAL ? `${text.slice(0, MAX_LITERAL)}…` : text;
}

function unite(types: readonly string[]): string {
  return [...new Set(types)].join('|');
}

/** A type that can stand before `[]` or beside `&`. */
function enclose(type: string): string {
  return /^(?:[\w$]*\{.*\}|"[^"]*"|[\w$…{}]+)$/.test(type) && !/[|&]/.test(type.replaceAll(/\{.*\}/g, ''))
    ? type
    : `(${type})`;
}
