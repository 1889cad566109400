import { describeValue } from '../texts/describe-value.ts';
import { isPlainObject, type JsonSchema } from '../json.ts';
import { type Parameter, readVariants, type Variant } from './read-variants.ts';
import { createReferenceFinder, type FindReference, referenceOf, without } from './schema-node.ts';

const MAX_ENUM_VALUES = 12;
const MAX_NESTED = 2;
const MAX_ALTERNATIVES = 8;

/**
 * Describes a tool's parameters on one line: `path (string), encoding (utf-8|ascii, optional, default: utf-8)`. A union has braces for each
 * variant: `{ by (id), id (integer) } or { by (name), name (string) }`.
 */
export function describeParameters(schema: JsonSchema): string {
  const variants = describeVariants(schema);
  if (variants.length < 2) return variants[0] ?? '';
  return [...new Set(variants)].map((variant) => (variant === '' ? '{}' : `{ ${variant} }`)).join(' or ');
}

/** Describes a tool's parameters with one line per variant of its schema; `''` for one without parameters. */
export function describeVariants(schema: JsonSchema): string[] {
  const find = createReferenceFinder(schema);
  return readVariants(schema, find).map((variant) => describeVariant(variant, find));
}

interface VariantRoom extends LikelyUse {
  /** Maximum characters. Default: no limit. */
  readonly limit?: number;
}

/** Describes one variant on one line. Beyond the limit, the parameters least likely to be needed are left out and counted. */
export function describeVariant({ parameters, isOpen }: Variant, find: FindReference, room: VariantRoom = {}): string {
  const { limit = Infinity, ...use } = room;
  const write = (parameter: Parameter): string => `${parameter.name} (${describeParameter(parameter, find)})`;
  const words = parameters.map(write);
  if (isOpen && words.length === 0) words.push('any keys');
  const whole = words.join(', ');
  if (whole.length <= limit) return whole;
  // Required parameters come first.
  const order = rankParameters(parameters, use).toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
  const shown: string[] = [];
  let length = 0;
  for (const word of order.map(write)) {
    length += word.length + 2;
    if (length > limit) break;
    shown.push(word);
  }
  return [...shown, `and ${words.length - shown.length} more`].join(', ');
}

/** Describes a parameter: `integer, optional, default: 20`. */
export function describeParameter({ schema, isRequired }: Omit<Parameter, 'name'>, find: FindReference): string {
  const parts = [describeType(schema, find)];
  const { default: fallback } = schema;
  if (!isRequired || fallback !== undefined) parts.push('optional');
  if (fallback !== undefined) parts.push(`default: ${plain(fallback)}`);
  return parts.join(', ');
}

/**
 * Describes a schema in one or two words: `string`, `integer`, `a|b`, `string[]`, `object`. Alternative objects are described by their
 * fields.
 */
function describeType(schema: unknown, find: FindReference, depth = 0): string {
  if (!isPlainObject(schema) || depth > 4) return 'any';
  const { type, enum: values, const: constant, items } = schema;
  const reference = referenceOf(schema);
  if (reference !== undefined) return describeType(find(reference), find, depth + 1);
  if (Array.isArray(values)) return describeEnum(values);
  if (constant !== undefined) return plain(constant);
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options)) return describeOptions(options, find, depth);
  if (Array.isArray(schema['allOf'])) return describeAll([without(schema, 'allOf'), ...schema['allOf']], find, depth);
  if (type === 'array') {
    const item = items === undefined ? 'any' : describeType(items, find, depth + 1);
    return item.includes('|') ? `(${item})[]` : `${item}[]`;
  }
  if (Array.isArray(type)) return type.join('|');
  if (typeof type === 'string') return type;
  return isPlainObject(schema['properties']) ? 'object' : 'any';
}

/** Joins alternatives with a bar. Several objects are distinguished by their fields. */
function describeOptions(options: readonly unknown[], find: FindReference, depth: number): string {
  const described = options.map((option) => describeType(option, find, depth + 1));
  const isUnion = depth <= MAX_NESTED && described.filter((one) => one === 'object').length > 1;
  const words = !isUnion
    ? described
    : options.flatMap((option, index) =>
        described[index] === 'object' && isPlainObject(option)
          ? readVariants(option, find).map((variant) => describeFields(variant, find, depth))
          : [described[index] ?? 'any'],
      );
  const distinct = [...new Set(words)];
  const shown = distinct.slice(0, MAX_ALTERNATIVES);
  if (distinct.length > shown.length) shown.push(`… ${distinct.length - shown.length} more`);
  return shown.join('|');
}

/** Describes an object by its fields: `{ kind: file, path: string, mode?: integer }`. */
function describeFields({ parameters }: Variant, find: FindReference, depth: number): string {
  const fields = parameters.map(
    ({ name, schema, isRequired }) =>
      `${name}${isRequired && schema['default'] === undefined ? '' : '?'}: ${describeType(schema, find, depth + 2)}`,
  );
  return fields.length === 0 ? 'object' : `{ ${fields.join(', ')} }`;
}

/** Describes the most specific of several parts that all apply: values before type names. */
function describeAll(parts: readonly unknown[], find: FindReference, depth: number): string {
  const described = parts.map((part) => describeType(part, find, depth + 1)).filter((one) => one !== 'any');
  return described.toSorted((a, b) => Number(isTypeName(a)) - Number(isTypeName(b)))[0] ?? 'any';
}

function isTypeName(text: string): boolean {
  return ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].includes(text);
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

/** With fewer parameters, the author's order is kept. */
const MANY = 20;
/** Number of leading parameters that get a bonus: authors put the main ones first. */
const LEADING = 2;

const REQUIRED = 100;
const ASKED = 20;
const SHOWN = 10;
const FIRST = 8;
const EVERYDAY = 4;
const LETTER = 2;
const MAX_MENTIONS = 6;

/** Names that callers of any tool often need: fewer results, a selection, or another format. */
const EVERYDAY_NAME =
  /^(?:limit|count|tail|head|max_?(?:count|results?|items)|page_size|since|until|author|message|title|body|filter|query|search|select|output|format|sort|all|recursive)$/;

/** Hints about the parameters that a call will most likely give. */
interface LikelyUse {
  readonly examples?: readonly { readonly input: object }[] | undefined;
  /** A query, or names that the caller tried. */
  readonly wanted?: string | undefined;
}

/**
 * Orders long parameter lists by how likely a call gives each, for texts that name only some: required ones, those asked for, those in
 * examples, the first ones, then common names, those with a short flag, and those mentioned by others.
 */
export function rankParameters<T extends Parameter>(parameters: readonly T[], use: LikelyUse = {}): readonly T[] {
  if (parameters.length < MANY) return parameters;
  const wanted = wordsOf(use.wanted ?? '');
  const shown = new Set((use.examples ?? []).flatMap(({ input }) => Object.keys(input)));
  const mentions = countMentions(parameters);
  const scores = new Map(
    parameters.map(({ name, schema, isRequired }, place) => {
      const hasLetter = /^\(-\S/.test(textOf(schema['description']));
      const score =
        (isRequired ? REQUIRED : 0) +
        ASKED * shareOf(wordsOf(name), wanted) ** 2 +
        (shown.has(name) ? SHOWN : 0) +
        (place < LEADING ? FIRST : 0) +
        (EVERYDAY_NAME.test(name) ? EVERYDAY : 0) +
        (hasLetter ? LETTER : 0) +
        Math.min(MAX_MENTIONS, mentions.get(name) ?? 0);
      return [name, score];
    }),
  );
  return parameters.toSorted((a, b) => (scores.get(b.name) ?? 0) - (scores.get(a.name) ?? 0));
}

/** Counts how many other descriptions mention the flag of a parameter: `--oneline`. */
function countMentions(parameters: readonly Parameter[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name, schema } of parameters) {
    const flags = textOf(schema['description']).match(/(?<![\w-])--[a-z][\w-]*/g) ?? [];
    for (const flag of new Set(flags.map((one) => one.slice(2).replaceAll('-', '_')))) {
      if (flag !== name) counts.set(flag, (counts.get(flag) ?? 0) + 1);
    }
  }
  return counts;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? [];
}

function shareOf(words: readonly string[], wanted: readonly string[]): number {
  const found = words.filter((word) => wanted.some((other) => isAlike(word, other)));
  return words.length === 0 ? 0 : found.length / words.length;
}

/** Treats `commit` and `commits` as one word. */
function isAlike(one: string, other: string): boolean {
  return one === other || one === `${other}s` || other === `${one}s`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
