import { isPlainObject } from '../json.ts';
import { nearestNames } from '../texts/suggest.ts';
import { TYPE_NAMES } from './schema-dialect.ts';
import { patternFault } from './pattern.ts';

/** The content of a keyword's value: schemas in one of three arrangements, or something else. */
type KeywordHolds = 'schema' | 'list' | 'map' | 'value';

/** Groups of keywords that are compiled together, as bits. */
export const KeywordGroup = {
  none: 0,
  named: 1,
  others: 2,
  object: 4,
  array: 8,
  string: 16,
  number: 32,
  alternatives: 64,
  unevaluated: 128,
} as const;

export interface Keyword {
  readonly holds: KeywordHolds;
  readonly group: number;
  /** True when the schemas inside apply to the same value as the keyword. */
  readonly inPlace: boolean;
  /** Returns the rule that its value breaks, if any. For keywords without schemas. */
  fault(value: unknown): string | undefined;
}

type Rule = (value: unknown) => string | undefined;

const anything: Rule = () => undefined;
const text: Rule = (value) => (typeof value === 'string' ? undefined : 'must be a string');
const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const number: Rule = (value) => (Number.isFinite(value) ? undefined : 'must be a number');
const list: Rule = (value) => (Array.isArray(value) && isJson(value) ? undefined : 'must be an array of JSON values');
const json: Rule = (value) => (isJson(value) ? undefined : 'must be a JSON value');
const size: Rule = (value) =>
  Number.isInteger(value) && Number(value) >= 0 ? undefined : 'must be a whole number, 0 or more';
const step: Rule = (value) => (Number.isFinite(value) && Number(value) > 0 ? undefined : 'must be a number above 0');
const names: Rule = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') && new Set(value).size === value.length
    ? undefined
    : 'must be an array of different strings';
const anchor: Rule = (value) =>
  typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)
    ? undefined
    : 'must be a name of letters, digits, "-", "_" and "."';
const pattern: Rule = (value) => {
  if (typeof value !== 'string') return 'must be a string';
  const fault = patternFault(value);
  return fault === undefined ? undefined : `must be a regular expression (${fault})`;
};
const dependents: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const wrong = Object.entries(value).find(([, item]) => names(item) !== undefined);
  return wrong === undefined ? undefined : `must give an array of different strings under ${JSON.stringify(wrong[0])}`;
};
const type: Rule = (value) => {
  if (Array.isArray(value)) {
    if (value.length === 0 || new Set(value).size !== value.length)
      return 'must be a type or an array of different types';
    return value.map(type).find((fault) => fault !== undefined);
  }
  const known: readonly unknown[] = TYPE_NAMES;
  if (known.includes(value)) return undefined;
  const [nearest] = typeof value === 'string' ? nearestNames(value, TYPE_NAMES, 1) : [];
  return `must be one of ${TYPE_NAMES.join(', ')}${nearest === undefined ? '' : ` (did you mean "${nearest}"?)`}`;
};

const value = (rule: Rule, group: number = KeywordGroup.none): Keyword => ({
  holds: 'value',
  group,
  inPlace: false,
  fault: rule,
});
const holding = (holds: KeywordHolds, group: number, inPlace = false): Keyword => ({
  holds,
  group,
  inPlace,
  fault: anything,
});

const { none, named, others, object, array, string, number: numeric, alternatives, unevaluated } = KeywordGroup;

/** Returns false for functions, symbols, class instances, endless and huge values. */
function isJson(value: unknown): boolean {
  let left = 100_000;
  const check = (item: unknown, depth: number): boolean => {
    if (typeof item !== 'object' || item === null) return !['function', 'symbol', 'bigint'].includes(typeof item);
    if (depth > 128 || --left < 0) return false;
    if (!Array.isArray(item) && !isPlainObject(item)) return false;
    return Object.values(item).every((inner) => check(inner, depth + 1));
  };
  return check(value, 0);
}

/** All keywords that are checked, including those of older drafts that contain schemas. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['type', value(type)],
  ['properties', holding('map', named)],
  ['required', value(names, named)],
  ['description', value(text)],
  ['enum', value(list)],
  ['const', value(json)],
  ['default', value(json)],
  ['items', holding('schema', array)],
  ['additionalProperties', holding('schema', others)],
  ['patternProperties', holding('map', others)],
  ['propertyNames', holding('schema', object)],
  ['minProperties', value(size, object)],
  ['maxProperties', value(size, object)],
  ['dependentRequired', value(dependents, object)],
  ['dependentSchemas', holding('map', object, true)],
  ['prefixItems', holding('list', array)],
  ['contains', holding('schema', array)],
  ['minContains', value(size, array)],
  ['maxContains', value(size, array)],
  ['minItems', value(size, array)],
  ['maxItems', value(size, array)],
  ['uniqueItems', value(flag, array)],
  ['minLength', value(size, string)],
  ['maxLength', value(size, string)],
  ['pattern', value(pattern, string)],
  ['minimum', value(number, numeric)],
  ['maximum', value(number, numeric)],
  ['exclusiveMinimum', value(number, numeric)],
  ['exclusiveMaximum', value(number, numeric)],
  ['multipleOf', value(step, numeric)],
  ['allOf', holding('list', alternatives, true)],
  ['anyOf', holding('list', alternatives, true)],
  ['oneOf', holding('list', alternatives, true)],
  ['not', holding('schema', alternatives, true)],
  ['if', holding('schema', alternatives, true)],
  ['then', holding('schema', none, true)],
  ['else', holding('schema', none, true)],
  ['unevaluatedProperties', holding('schema', unevaluated)],
  ['unevaluatedItems', holding('schema', unevaluated)],
  ['$ref', value(text)],
  ['$dynamicRef', value(text)],
  ['$anchor', value(anchor)],
  ['$dynamicAnchor', value(anchor)],
  ['$id', value(text)],
  ['$schema', value(text)],
  ['$comment', value(text)],
  ['$defs', holding('map', none)],
  ['definitions', holding('map', none)],
  ['contentSchema', holding('schema', none)],
  ['contentEncoding', value(text)],
  ['contentMediaType', value(text)],
  ['title', value(text)],
  ['format', value(text)],
  ['examples', value(list)],
  ['deprecated', value(flag)],
  ['readOnly', value(flag)],
  ['writeOnly', value(flag)],
  ['$recursiveRef', value(text)],
  ['$recursiveAnchor', value(flag)],
  ['additionalItems', holding('schema', none)],
  ['dependencies', holding('map', none, true)],
]);
