import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { createReferenceFinder, type FindReference } from '../../tool/parameters/schema-node.ts';

export interface TypeStyle {
  /** Levels of objects with written fields; deeper objects are `object`. */
  readonly depth: number;
  /** Enum values to write; a longer enum becomes the type of its values. */
  readonly values: number;
  /** True to write field descriptions above the fields, one field per line. */
  readonly comments: boolean;
}

interface Place extends TypeStyle {
  readonly find: FindReference;
  readonly open: readonly string[];
  readonly indent: string;
}

const MAX_STEPS = 30;
const MAX_LITERAL = 80;

/** Writes a JSON Schema as a TypeScript type that compiles. The type may be wider than the schema, never narrower. */
export function writeTypescript(schema: unknown, style: TypeStyle): string {
  const root: JsonSchema = isPlainObject(schema) ? schema : {};
  return write(schema, { ...style, find: createReferenceFinder(root), open: [], indent: '' });
}

function write(schema: unknown, place: Place): string {
  if (schema === false) return 'never';
  if (!isPlainObject(schema) || place.open.length > MAX_STEPS) return 'unknown';
  const { $ref, enum: values, anyOf, oneOf, allOf, type, nullable } = schema;
  const parts: string[] = [];
  if (typeof $ref === 'string') parts.push(writeReference($ref, place));
  if (Array.isArray(values)) return writeEnum(values, place);
  if ('const' in schema) return writeLiteral(schema['const']);
  const own = Array.isArray(type)
    ? unite(type.map((one) => writeTyped(one, schema, place)))
    : type !== undefined || hasFields(schema)
      ? writeTyped(type ?? guessType(schema), schema, place)
      : undefined;
  const branches: unknown[] = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const choices = branches.filter((branch) => !isPlainObject(branch) || !onlyRequires(branch));
  const isBare = own === 'Record<string, unknown>' && (choices.length > 0 || Array.isArray(allOf));
  if (own !== undefined && !isBare) parts.push(own);
  if (choices.length > 0) parts.push(unite(choices.map((branch) => write(branch, place))));
  if (Array.isArray(allOf))
    parts.push(...allOf.map((branch) => write(branch, place)).filter((text) => text !== 'unknown'));
  const distinct = [...new Set(parts)].filter((text, _, all) => text !== 'unknown' || all.length === 1);
  const written =
    distinct.length === 0
      ? 'unknown'
      : distinct.length === 1
        ? (distinct[0] ?? 'unknown')
        : distinct.map(enclose).join(' & ');
  return nullable === true && written !== 'unknown' ? unite([written, 'null']) : written;
}

function writeTyped(type: unknown, schema: JsonSchema, place: Place): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return writeArray(schema, place);
    case 'object':
      return writeObject(schema, place);
    default:
      return 'unknown';
  }
}

function hasFields(schema: JsonSchema): boolean {
  return ['properties', 'additionalProperties', 'items', 'prefixItems'].some((key) => key in schema);
}

function guessType(schema: JsonSchema): string {
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'object';
}

/** Alternatives that only list required fields have no type of their own. */
function onlyRequires(branch: Record<string, unknown>): boolean {
  return Object.keys(branch).every((key) => key === 'required' || key === 'not' || key === 'description');
}

function writeReference(reference: string, place: Place): string {
  // A type that refers to itself cannot be written inline.
  if (place.open.includes(reference)) return 'unknown';
  const target = place.find(reference);
  return target === undefined ? 'unknown' : write(target, { ...place, open: [...place.open, reference] });
}

function writeArray({ items, prefixItems }: JsonSchema, place: Place): string {
  const fixed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (fixed !== undefined) {
    const rest =
      items === undefined || items === false || Array.isArray(items) ? [] : [`...${enclose(write(items, place))}[]`];
    return `[${[...fixed.map((item) => `${enclose(write(item, place))}?`), ...rest].join(', ')}]`;
  }
  return items === undefined ? 'unknown[]' : `${enclose(write(items, place))}[]`;
}

function writeObject(schema: JsonSchema, place: Place): string {
  const { properties, required, additionalProperties: more, patternProperties } = schema;
  const fields = isPlainObject(properties) ? Object.entries(properties) : [];
  const others = [
    ...(isPlainObject(patternProperties) ? Object.values(patternProperties) : []),
    ...(more === true || isPlainObject(more) ? [more] : []),
  ];
  if (fields.length === 0) {
    if (others.length > 0)
      return `Record<string, ${unite(others.map((other) => write(other === true ? {} : other, place)))}>`;
    return more === false ? '{}' : 'Record<string, unknown>';
  }
  if (place.depth <= 0) return 'object';
  const needed = new Set(Array.isArray(required) ? required : []);
  const inner = { ...place, depth: place.depth - 1, indent: `${place.indent}  ` };
  const lines = fields.map(([name, field]) => {
    const isOptional = !needed.has(name) || (isPlainObject(field) && field['default'] !== undefined);
    const text = `${writeKey(name)}${isOptional ? '?' : ''}: ${write(field, inner)}`;
    return place.comments ? `${writeComment(field, inner.indent)}${inner.indent}${text};` : text;
  });
  if (others.length > 0)
    lines.push(place.comments ? `${inner.indent}[key: string]: unknown;` : '[key: string]: unknown');
  return place.comments ? `{\n${lines.join('\n')}\n${place.indent}}` : `{ ${lines.join('; ')} }`;
}

function writeComment(schema: unknown, indent: string): string {
  if (!isPlainObject(schema)) return '';
  const { description, default: fallback } = schema;
  const said = [
    ...(typeof description === 'string' ? [toComment(description)] : []),
    ...(fallback === undefined ? [] : [`Default: ${toComment(JSON.stringify(fallback) ?? '')}`]),
  ].join(' ');
  return said === '' ? '' : `${indent}/** ${said} */\n`;
}

/** Returns the text on one line, safe inside a comment. */
export function toComment(text: string): string {
  return text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ').trim();
}

export function writeKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function writeEnum(values: readonly unknown[], { values: most }: Place): string {
  if (values.length <= most) return unite(values.map(writeLiteral));
  return unite(values.map(widen));
}

function writeLiteral(value: unknown): string {
  if (value !== null && typeof value === 'object') return 'unknown';
  const text = JSON.stringify(value) ?? 'unknown';
  return text.length > MAX_LITERAL ? widen(value) : text;
}

function widen(value: unknown): string {
  if (value === null) return 'null';
  return ['string', 'number', 'boolean'].includes(typeof value) ? typeof value : 'unknown';
}

function unite(types: readonly string[]): string {
  const unique = [...new Set(types)];
  return unique.includes('unknown')
    ? 'unknown'
    : unique.map((type) => (/ & /.test(type) ? enclose(type) : type)).join(' | ');
}

/** Wraps a type so that it can stand before `[]` and beside `&`. */
function enclose(type: string): string {
  return /^(?:[\w$.]+|Record<[^|&]*>|"[^"]*"|\{[^{}]*\}|[^|& ]+\[\])$/.test(type) ? type : `(${type})`;
}
