import { isPlainObject, jsonEqual } from '../../json.ts';
import { resolveRef, type SchemaDocument } from '../schema-document.ts';
import { typeOf } from '../../texts/describe-value.ts';
import type { StepLimit } from './check.ts';

/** The document of a schema, with a limit on followed references. */
export interface SchemaLookup {
  readonly document: SchemaDocument;
  readonly limit: StepLimit;
}

/** Follows a chain of local references. */
export function followRefs(schema: unknown, lookup: SchemaLookup): unknown {
  let target = schema;
  for (let step = 0; step < 32; step++) {
    const ref = isPlainObject(target) ? target['$ref'] : undefined;
    if (typeof ref !== 'string') return target;
    target = resolveRef(lookup.document, lookup.document.main, ref)?.schema;
  }
  return undefined;
}

/** Lists the types that a schema names, directly or through its fixed values. */
export function expectedTypes(schema: Readonly<Record<string, unknown>>): readonly string[] {
  const { type, properties } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  const fixed = fixedValues(schema);
  if (fixed !== undefined) return [...new Set(fixed.map(typeOf))];
  return isPlainObject(properties) ? ['object'] : [];
}

/** Lists the values of an `enum`, a `const`, or alternatives that all consist of these. */
export function fixedValues(schema: unknown): readonly unknown[] | undefined {
  if (!isPlainObject(schema)) return undefined;
  if (Array.isArray(schema['enum'])) return schema['enum'];
  if (schema['const'] !== undefined) return [schema['const']];
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(branches)) return undefined;
  const values = branches.map(fixedValues);
  return values.every((value) => value !== undefined) ? values.flat() : undefined;
}

/** Returns true when a schema accepts values of this value's type. The value itself may still be wrong. */
export function acceptsType(schema: unknown, value: unknown, lookup: SchemaLookup): boolean {
  lookup.limit.step();
  const target = followRefs(schema, lookup);
  if (!isPlainObject(target)) return target !== false;
  const types = expectedTypes(target);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  const { anyOf, oneOf, allOf } = target;
  const accepts = (branch: unknown): boolean => acceptsType(branch, value, lookup);
  if (Array.isArray(allOf) && !allOf.every(accepts)) return false;
  if (Array.isArray(anyOf) && !anyOf.some(accepts)) return false;
  return !Array.isArray(oneOf) || oneOf.some(accepts);
}

/** Returns true when an object has the fixed values (`kind: "a"`) of this alternative. */
export function tagsFit(schema: unknown, value: unknown): boolean {
  const properties = isPlainObject(schema) ? schema['properties'] : undefined;
  if (!isPlainObject(properties) || !isPlainObject(value)) return true;
  return Object.entries(properties).every(([key, property]) => {
    const fixed = fixedValues(property);
    if (fixed === undefined || !Object.hasOwn(value, key)) return true;
    // A command line passes `version=2` as text.
    const given = value[key];
    return fixed.some((item) => jsonEqual(item, given) || (typeof item === 'number' && String(item) === given));
  });
}

export function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return type === typeOf(value);
}
