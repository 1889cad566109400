import { isPlainObject, jsonEqual, type JsonSchema } from '../json.ts';
import { DEFAULT_INPUT_LIMITS, type InputLimits, JsonMeter } from '../input-limits.ts';
import {
  acceptsType,
  expectedTypes,
  fixedValues,
  followRefs,
  isOfType,
  type SchemaLookup,
  tagsFit,
} from './compile/expected-type.ts';
import { setOwn } from './compile/fill-defaults.ts';
import { createStepLimit } from './compile/check.ts';
import { surveySchema } from './compile/survey-schema.ts';
import { dropNulls } from './drop-nulls.ts';

/** Lower than for checks, because each step does more. */
const MAX_STEPS = 200_000;
const READINGS = 4;

/** The schema document of a repair, and the number of values it may still read. */
interface Repair extends SchemaLookup {
  readonly budget: ValueBudget;
}

/**
 * Repairs wrong types that models send: `"42"` for a number, a JSON string for an object, one item for a list.
 *
 * Converts only without loss and drops nulls that mean "not given". Never changes the value: repaired parts are copied, the rest is shared.
 * Use it after validation has failed, and validate again: the result may still be wrong.
 */
export function coerceInput(
  schema: JsonSchema,
  value: unknown,
  { values }: Pick<InputLimits, 'values'> = DEFAULT_INPUT_LIMITS,
): unknown {
  const given = dropNulls(schema, value);
  try {
    const { document } = surveySchema(schema);
    // One text may be read for each of several alternatives.
    const budget = { left: values * READINGS };
    const repaired = coerce(schema, given, { document, limit: createStepLimit(MAX_STEPS), budget });
    // A JSON string may contain nulls too.
    return repaired === given ? given : dropNulls(schema, repaired);
  } catch {
    // Too deep for the stack, or unreadable: validation explains it.
    return given;
  }
}

function coerce(schema: unknown, value: unknown, lookup: Repair): unknown {
  if (!isPlainObject(schema)) return value;
  lookup.limit.step();
  let repaired = value;
  if (typeof schema['$ref'] === 'string') repaired = coerce(followRefs(schema, lookup), repaired, lookup);
  if (Array.isArray(schema['allOf'])) {
    for (const part of schema['allOf']) repaired = coerce(part, repaired, lookup);
  }
  repaired = coerceType(schema, repaired, lookup);
  repaired = coerceFixed(schema, repaired);
  for (const branches of [schema['anyOf'], schema['oneOf']]) {
    if (Array.isArray(branches)) repaired = coerceAlternatives(branches, repaired, lookup);
  }
  if ('if' in schema) repaired = coerceCondition(schema, repaired, lookup);
  if (isPlainObject(repaired)) return coerceObject(schema, repaired, lookup);
  return Array.isArray(repaired) ? coerceArray(schema, repaired, lookup) : repaired;
}

function coerceType(schema: JsonSchema, value: unknown, lookup: Repair): unknown {
  const types = expectedTypes(schema);
  if (types.length === 0 || types.some((type) => isOfType(value, type))) return value;
  for (const type of types) {
    const converted = convertValue(value, type, lookup.budget);
    if (converted !== undefined) return converted;
    if (type !== 'array' || typeof value === 'object') continue;
    // An array of scalars is expected, whose type `items` must define.
    const { items } = schema;
    const target = followRefs(items, lookup);
    if (!isPlainObject(target) || Object.keys(target).length === 0) continue;
    const item = coerce(items, value, lookup);
    if (acceptsType(items, item, lookup)) return [item];
  }
  return value;
}

/** Finds the fixed value that differs only in case and surrounding blanks. */
function coerceFixed(schema: JsonSchema, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const fixed = fixedValues(schema);
  if (fixed === undefined || fixed.includes(value)) return value;
  const wanted = value.trim().toLowerCase();
  const same = fixed.filter((item) => typeof item === 'string' && item.trim().toLowerCase() === wanted);
  return same.length === 1 ? same[0] : value;
}

function coerceAlternatives(branches: readonly unknown[], value: unknown, lookup: Repair): unknown {
  const fitting = branches.filter((branch) => acceptsType(branch, value, lookup));
  if (fitting.length > 0) {
    const marked = fitting.filter((branch) => tagsFit(followRefs(branch, lookup), value));
    const [likely, ...others] = marked.length > 1 ? fitKeys(marked, value, lookup) : marked;
    if (likely === undefined) return value;
    const repaired = coerce(likely, value, lookup);
    // Several alternatives with the same result are as good as one.
    return others.every((branch) => jsonEqual(coerce(branch, value, lookup), repaired)) ? repaired : value;
  }
  for (const branch of branches) {
    const repaired = coerce(branch, value, lookup);
    if (repaired !== value && acceptsType(branch, repaired, lookup)) return repaired;
  }
  return value;
}

/** Finds alternatives whose required keys the object has and that know all its keys; all alternatives if there is none. */
function fitKeys(branches: readonly unknown[], value: unknown, lookup: Repair): readonly unknown[] {
  if (!isPlainObject(value)) return branches;
  const fitting = branches.filter((branch) => {
    const schema = followRefs(branch, lookup);
    const properties = isPlainObject(schema) && isPlainObject(schema['properties']) ? schema['properties'] : {};
    const required: unknown[] = isPlainObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
    return (
      required.length > 0 &&
      required.every((key) => typeof key === 'string' && Object.hasOwn(value, key)) &&
      Object.keys(value).every((key) => Object.hasOwn(properties, key))
    );
  });
  return fitting.length > 0 ? fitting : branches;
}

/** Repairs by the branch of `if` that applies to an object, judged by fixed values. */
function coerceCondition(schema: JsonSchema, value: unknown, lookup: Repair): unknown {
  const condition = followRefs(schema['if'], lookup);
  const required: unknown[] =
    isPlainObject(condition) && Array.isArray(condition['required']) ? condition['required'] : [];
  const holds =
    isPlainObject(value) &&
    required.every((key) => typeof key === 'string' && Object.hasOwn(value, key)) &&
    tagsFit(condition, value);
  return coerce(holds ? schema['then'] : schema['else'], value, lookup);
}

function coerceObject(schema: JsonSchema, value: Record<string, unknown>, lookup: Repair): Record<string, unknown> {
  const { properties, additionalProperties } = schema;
  if (!isPlainObject(properties) && !isPlainObject(additionalProperties)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const named = isPlainObject(properties) && Object.hasOwn(properties, key);
    const part = named ? properties[key] : additionalProperties;
    const item = value[key];
    if (key === '__proto__' && !named) {
      // Code that copies the object by assignment would set its prototype.
      delete (copy ??= { ...value })[key];
      continue;
    }
    const repaired = coerce(part, item, lookup);
    if (repaired !== item) setOwn((copy ??= { ...value }), key, repaired);
  }
  return copy ?? value;
}

function coerceArray(schema: JsonSchema, value: readonly unknown[], lookup: Repair): readonly unknown[] {
  const { prefixItems, items } = schema;
  const prefix: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  let copy: unknown[] | undefined;
  for (const [index, item] of value.entries()) {
    const repaired = coerce(index < prefix.length ? prefix[index] : items, item, lookup);
    if (repaired !== item) (copy ??= [...value])[index] = repaired;
  }
  return copy ?? value;
}

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** The number of decimal digits that every double preserves. */
const EXACT_DIGITS = 15;

/** The number of values that JSON texts may still add. */
interface ValueBudget {
  left: number;
}

/** Converts a value to a JSON Schema type without loss; `undefined` if that is impossible. */
function convertValue(value: unknown, type: string, budget: ValueBudget): unknown {
  switch (type) {
    case 'string':
      return typeof value === 'boolean' || Number.isFinite(value) ? String(value) : undefined;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : undefined;
    case 'integer':
      return typeof value === 'string' && INTEGER.test(value) ? exactNumber(value) : undefined;
    case 'number':
      return typeof value === 'string' && DECIMAL.test(value) ? exactNumber(value) : undefined;
    case 'object':
    case 'array':
      return typeof value === 'string' ? parseStructure(value, type, budget) : undefined;
    default:
      return undefined;
  }
}

function exactNumber(text: string): number | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  if (INTEGER.test(text)) return Number.isSafeInteger(number) ? number + 0 : undefined;
  const digits = text
    .replace(/[eE].*$/, '')
    .replaceAll(/\D/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
  const vanished = number === 0 && digits !== '';
  return digits.length <= EXACT_DIGITS && !vanished ? number + 0 : undefined;
}

function parseStructure(text: string, type: 'object' | 'array', budget: ValueBudget): unknown {
  if (!text.trimStart().startsWith(type === 'object' ? '{' : '[')) return undefined;
  const meter = new JsonMeter({ values: budget.left, depth: DEFAULT_INPUT_LIMITS.depth });
  if (meter.push(text) !== undefined) return undefined;
  budget.left = meter.left;
  try {
    return NEEDS_REVIVER.test(text) ? JSON.parse(text, revive) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Matches texts that may contain a `__proto__` key, or a number too large for JSON. */
const NEEDS_REVIVER = /__proto__|\\u|[eE]\+?\d{3}|\d{200}/;

/** Drops `__proto__` keys, which code that copies by assignment would take for the prototype, and refuses `1e400`. */
function revive(key: string, item: unknown): unknown {
  if (typeof item === 'number' && !Number.isFinite(item)) throw new RangeError('not a finite number');
  return key === '__proto__' ? undefined : item;
}
