import { isPlainObject, type JsonSchema } from '../json.ts';
import { fixedValues, followRefs, type SchemaLookup, tagsFit } from './compile/expected-type.ts';
import { setOwn } from './compile/fill-defaults.ts';
import { createStepLimit } from './compile/check.ts';
import { surveySchema } from './compile/survey-schema.ts';
import { compilePattern } from './pattern.ts';
import { dialectOf } from './schema-dialect.ts';
import { resolveRef, type SchemaDocument } from './schema-document.ts';

type Key = string | number;

/** The places of nulls that their schema refuses: `true` for such a null, a map for a value that contains some. */
type Refused = Map<Key, Refused | true>;

/** A value, and the schemas that all apply to it. */
interface Place {
  readonly schemas: readonly unknown[];
  readonly value: unknown;
  /** Keys of the value that another schema requires. */
  readonly required?: ReadonlySet<unknown> | undefined;
}

/** Lower than for checks, because each step does more. */
const MAX_STEPS = 100_000;

const documents = new WeakMap<JsonSchema, SchemaDocument>();

/**
 * Removes optional keys with the value null if their schema refuses null: many clients send null for "not given".
 *
 * A null stays if a schema accepts it, if the key is required or not declared, or if one of several possible alternatives accepts it. Never
 * changes the value: objects that lose a key are copied, the rest is shared.
 */
export function dropNulls(schema: JsonSchema, value: unknown): unknown {
  try {
    let document = documents.get(schema);
    if (document === undefined) documents.set(schema, (document = surveySchema(schema).document));
    return without(value, findRefused({ schemas: [schema], value }, { document, limit: createStepLimit(MAX_STEPS) }));
  } catch {
    // Too deep for the stack, or unreadable: validation explains it.
    return value;
  }
}

/** Returns true when a schema accepts null. An unreadable one does. */
function acceptsNull(schema: unknown, lookup: SchemaLookup): boolean {
  if (!isPlainObject(schema)) return schema !== false;
  lookup.limit.step();
  const accepts = (part: unknown): boolean => acceptsNull(part, lookup);
  const { $ref, type, nullable, const: only, enum: values, not, allOf, anyOf, oneOf } = schema;
  if (typeof $ref === 'string') {
    if (!accepts(follow($ref, lookup))) return false;
    if (ignoresBesideRef(lookup)) return true;
  }
  if (type !== undefined && nullable !== true && ![type].flat().includes('null')) return false;
  if (only !== undefined && only !== null) return false;
  if (Array.isArray(values) && !values.includes(null)) return false;
  if (not !== undefined && accepts(not)) return false;
  if (Array.isArray(allOf) && !allOf.every(accepts)) return false;
  if (Array.isArray(anyOf) && !anyOf.some(accepts)) return false;
  if (Array.isArray(oneOf) && oneOf.filter(accepts).length !== 1) return false;
  return schema['if'] === undefined || accepts(accepts(schema['if']) ? schema['then'] : schema['else']);
}

function findRefused({ schemas, value, required }: Place, lookup: SchemaLookup): Refused {
  const refused: Refused = new Map();
  if (!Array.isArray(value) && !isPlainObject(value)) return refused;
  const parts = schemas.flatMap((schema) => flatten(schema, lookup));
  const needed = new Set([...(required ?? []), ...parts.flatMap(requiredKeys)]);
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const declared = parts.flatMap((part) =>
      typeof key === 'number' ? [itemSchema(part, key)] : propertySchemas(part, key),
    );
    if (typeof item === 'object' && item !== null) {
      const inner = findRefused({ schemas: declared, value: item }, lookup);
      if (inner.size > 0) refused.set(key, inner);
    } else if (item === null && typeof key === 'string' && !needed.has(key)) {
      if (!declared.every((part) => acceptsNull(part, lookup))) refused.set(key, true);
    }
  }
  for (const part of parts) {
    for (const branches of [part['anyOf'], part['oneOf'], conditional(part, value, lookup)]) {
      if (!Array.isArray(branches)) continue;
      const possible = branches.filter((branch) => canHold(branch, value, lookup));
      const each = possible.map((branch) => findRefused({ schemas: [branch], value, required: needed }, lookup));
      // Any of them may apply: only nulls that each of them refuses are refused.
      if (each.length > 0) merge(refused, each.reduce(inBoth));
    }
  }
  return refused;
}

/** Lists a schema with everything that applies alongside it: its references and its `allOf`. */
function flatten(schema: unknown, lookup: SchemaLookup): JsonSchema[] {
  if (!isPlainObject(schema)) return [];
  lookup.limit.step();
  const { $ref, allOf } = schema;
  const target = typeof $ref === 'string' ? flatten(follow($ref, lookup), lookup) : [];
  if (typeof $ref === 'string' && ignoresBesideRef(lookup)) return target;
  const all: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
  return [schema, ...target, ...all.flatMap((part) => flatten(part, lookup))];
}

function follow(ref: string, { document }: SchemaLookup): unknown {
  return resolveRef(document, document.main, ref)?.schema ?? true;
}

/** Returns true up to draft-07, where a reference replaces the whole schema. */
function ignoresBesideRef({ document }: SchemaLookup): boolean {
  return dialectOf(document.main.root) === 'draft-07';
}

function requiredKeys({ required }: JsonSchema): readonly unknown[] {
  return Array.isArray(required) ? required : [];
}

/** Lists the schemas of a key; none if the schema does not declare it, or only forbids undeclared keys. */
function propertySchemas(schema: JsonSchema, key: string): unknown[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const found: unknown[] = isPlainObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [];
  if (isPlainObject(patternProperties))
    for (const [pattern, part] of Object.entries(patternProperties)) if (compilePattern(pattern)(key)) found.push(part);
  return found.length > 0 || !isPlainObject(additionalProperties) ? found : [additionalProperties];
}

function itemSchema({ prefixItems, items, additionalItems }: JsonSchema, index: number): unknown {
  const byPosition: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  if (index < byPosition.length) return byPosition[index];
  return Array.isArray(items) ? additionalItems : items;
}

/** Returns the branch of an `if` that applies to a value, or both if fixed values and required keys do not decide it. */
function conditional(schema: JsonSchema, value: object, lookup: SchemaLookup): readonly unknown[] | undefined {
  if (schema['if'] === undefined) return undefined;
  const branches = [schema['then'] ?? true, schema['else'] ?? true];
  const condition = followRefs(schema['if'], lookup);
  if (!isPlainObject(condition) || !isPlainObject(value)) return branches;
  const { properties = {}, required: _required, ...others } = condition;
  const tags = Object.entries(isPlainObject(properties) ? properties : {});
  const isPlain = tags.every(([key, tag]) => fixedValues(tag) !== undefined && value[key] !== null);
  if (!isPlain || Object.keys(others).some((key) => key !== 'type')) return branches;
  const holds = requiredKeys(condition).every((key) => Object.hasOwn(value, String(key))) && tagsFit(condition, value);
  return branches.slice(holds ? 0 : 1, holds ? 1 : 2);
}

/** Returns true when an alternative can apply to a value without its nulls: one that lacks a required key cannot. */
function canHold(branch: unknown, value: object, lookup: SchemaLookup): boolean {
  if (branch === false) return false;
  const parts = flatten(branch, lookup);
  const type = Array.isArray(value) ? 'array' : 'object';
  if (parts.some((part) => part['type'] !== undefined && ![part['type']].flat().includes(type))) return false;
  if (!isPlainObject(value)) return true;
  const given = Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
  return parts.every((part) => {
    const takes = (key: unknown): boolean => {
      if (typeof key !== 'string' || Object.hasOwn(given, key)) return true;
      return Object.hasOwn(value, key) && propertySchemas(part, key).every((schema) => acceptsNull(schema, lookup));
    };
    const isClosed = part['additionalProperties'] === false;
    return (
      tagsFit(part, given) &&
      requiredKeys(part).every(takes) &&
      (!isClosed || Object.keys(value).every((key) => propertySchemas(part, key).length > 0))
    );
  });
}

function merge(into: Refused, from: Refused): void {
  for (const [key, found] of from) {
    const known = into.get(key);
    if (found === true || known === undefined) into.set(key, found);
    else if (known !== true) merge(known, found);
  }
}

function inBoth(one: Refused, other: Refused): Refused {
  const both: Refused = new Map();
  for (const [key, found] of one) {
    const match = other.get(key);
    if (found === true || match === true || match === undefined) {
      if (found === match) both.set(key, true);
      continue;
    }
    const inner = inBoth(found, match);
    if (inner.size > 0) both.set(key, inner);
  }
  return both;
}

function without(value: unknown, refused: Refused): unknown {
  if (refused.size === 0) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const found = refused.get(index);
      return found instanceof Map ? without(item, found) : item;
    });
  }
  // Nulls are found only in arrays and plain objects.
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value as object)) {
    const found = refused.get(key);
    if (found !== true) setOwn(copy, key, found === undefined ? item : without(item, found));
  }
  return copy;
}
