import { isPlainObject, type JsonSchema } from '../json.ts';
import { expandVariants } from './expand-variants.ts';
import {
  asNode,
  createReferenceFinder,
  type FindReference,
  nodeList,
  nodeMap,
  ownNode,
  type SchemaNode,
  stringList,
  without,
} from './schema-node.ts';
import { nearestNames } from '../texts/suggest.ts';

/** A parameter of a tool, or a field of an object. */
export interface Parameter {
  readonly name: string;
  readonly schema: SchemaNode;
  readonly isRequired: boolean;
}

/** One set of parameters that a tool accepts. */
export interface Variant {
  readonly parameters: readonly Parameter[];
  /** True when `additionalProperties` or `patternProperties` describe further keys. */
  readonly isOpen: boolean;
  /** The variant as one plain object schema. */
  readonly schema: SchemaNode;
}

/**
 * Reads a schema as alternative sets of parameters: one for a plain object, several for a union. `find` resolves references, against the
 * whole schema if this is a part. Empty when the schema describes no object.
 */
export function readVariants(schema: JsonSchema, find: FindReference = createReferenceFinder(schema)): Variant[] {
  return expandVariants(schema, { find, conditions: true }).flatMap((expanded) => {
    const node = 'not' in expanded ? withoutExcluded(expanded) : expanded;
    if (node === undefined) return [];
    const { type, properties, additionalProperties: more, patternProperties: patterns } = node;
    const isObject = type === 'object' || type === undefined || (Array.isArray(type) && type.includes('object'));
    if (!isObject) return [];
    const required = new Set(stringList(node['required']));
    const named = Object.entries(nodeMap(properties));
    // A key may be required without being described.
    const bare = [...required].filter((name) => !isPlainObject(properties) || !Object.hasOwn(properties, name));
    return [
      {
        parameters: [
          ...named.map(([name, part]) => ({ name, schema: part, isRequired: required.has(name) })),
          ...bare.map((name) => ({ name, schema: {}, isRequired: true })),
        ],
        isOpen: more === true || isPlainObject(more) || isPlainObject(patterns),
        schema: node,
      },
    ];
  });
}

/** Lists the parameters of all variants, each name once. A parameter is required if every variant requires it. */
export function allParameters(variants: readonly Variant[]): Parameter[] {
  const found = new Map<string, Parameter[]>();
  for (const { parameters } of variants) {
    for (const parameter of parameters) {
      const earlier = found.get(parameter.name);
      if (earlier === undefined) found.set(parameter.name, [parameter]);
      else earlier.push(parameter);
    }
  }
  return [...found].flatMap(([name, [first, ...others]]) => {
    if (first === undefined) return [];
    const all = [first, ...others];
    const isRequired = all.length === variants.length && all.every((one) => one.isRequired);
    const schemas = [...new Set(all.map((one) => one.schema))];
    return [{ name, isRequired, schema: schemas.length === 1 ? first.schema : { anyOf: schemas } }];
  });
}

/** Lists the only values that a parameter accepts; `undefined` when it is not limited. */
export function fixedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if (schema['const'] !== undefined) return [schema['const']];
  if (Array.isArray(schema['enum'])) return schema['enum'];
  const parts = schema['allOf'];
  if (!Array.isArray(parts)) return undefined;
  // Several parts together are as narrow as the narrowest.
  const lists = parts.flatMap((part) => (isPlainObject(part) ? [fixedValues(part)] : []));
  return lists.reduce((left, right) => {
    if (left === undefined || right === undefined) return left ?? right;
    return left.filter((value) => right.includes(value));
  }, undefined);
}

/** Removes the values that a `not` excludes from a parameter; `undefined` when none is left. */
function withoutExcluded(variant: SchemaNode): SchemaNode | undefined {
  const excluded = asNode(variant['not']);
  const properties = { ...nodeMap(variant['properties']) };
  for (const part of Array.isArray(excluded['anyOf']) ? nodeList(excluded['anyOf']) : [excluded]) {
    const [[name, schema] = [], ...others] = Object.entries(nodeMap(part['properties']));
    // Only a `not` that names values of a single parameter excludes them for certain.
    const isPlain = Object.keys(part).every((keyword) => ['type', 'properties', 'required'].includes(keyword));
    if (name === undefined || schema === undefined || others.length > 0 || !isPlain) continue;
    const taken = fixedValues(schema);
    const property = ownNode(properties, name);
    const values = property && fixedValues(property);
    if (taken === undefined || property === undefined || values === undefined) continue;
    const left = values.filter((value) => !taken.includes(value));
    if (left.length === 0 && stringList(variant['required']).includes(name)) return undefined;
    properties[name] = { ...without(property, 'const', 'allOf'), enum: left };
  }
  return { ...variant, properties };
}

/** The most likely variant of a call. */
interface PickedVariant {
  readonly variant: Variant;
  /** The key that distinguishes the variants, if any, with its value in this variant and in the others. */
  readonly tag?: { readonly name: string; readonly value: unknown; readonly others: readonly unknown[] };
}

/** Picks the variant that matches arguments best; nothing when several match equally well. */
export function pickVariant(variants: readonly Variant[], args: unknown): PickedVariant | undefined {
  const [first, ...others] = variants;
  if (first === undefined || others.length === 0) return first && { variant: first };
  if (!isPlainObject(args)) return undefined;
  return pickByTag(variants, args) ?? pickByKeys(variants, args);
}

/** Finds a key with different values in every variant, such as `kind`. */
function findTag(variants: readonly Variant[]): string | undefined {
  return variants[0]?.parameters.find(({ name }) => {
    const values = variants.map((variant) => valuesOf(variant, name));
    const all = values.flatMap((list) => list ?? []);
    return values.every((list) => list !== undefined && list.length > 0) && new Set(all).size === all.length;
  })?.name;
}

function pickByTag(variants: readonly Variant[], args: Record<string, unknown>): PickedVariant | undefined {
  const name = findTag(variants);
  const given = name !== undefined && Object.hasOwn(args, name) ? args[name] : undefined;
  if (name === undefined || given === undefined) return undefined;
  const all = variants.flatMap((variant) => valuesOf(variant, name) ?? []);
  const [nearest] = typeof given === 'string' ? nearestNames(given, all.map(String), 1) : [];
  const value = all.find((one) => one === given) ?? all.find((one) => String(one) === nearest);
  const variant = variants.find((one) => valuesOf(one, name)?.includes(value));
  return variant && { variant, tag: { name, value, others: all.filter((one) => one !== value) } };
}

/** Scores variants: keys it has count for it; values it does not accept and keys it lacks count against it. */
function pickByKeys(variants: readonly Variant[], args: Record<string, unknown>): PickedVariant | undefined {
  const scored = variants
    .map((variant) => ({ variant, score: scoreOf(variant, args) }))
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = scored;
  const knows = best?.variant.parameters.some(({ name }) => Object.hasOwn(args, name)) === true;
  return best === undefined || !knows || best.score === second?.score ? undefined : { variant: best.variant };
}

function scoreOf({ parameters }: Variant, args: Record<string, unknown>): number {
  let score = 0;
  for (const { name, schema, isRequired } of parameters) {
    if (!Object.hasOwn(args, name)) {
      if (isRequired) score -= 1;
      continue;
    }
    const fixed = fixedValues(schema);
    score += fixed === undefined || fixed.includes(args[name]) ? 2 : -4;
  }
  return score;
}

function valuesOf({ parameters }: Variant, name: string): readonly unknown[] | undefined {
  const parameter: Parameter | undefined = parameters.find((one) => one.name === name);
  return parameter && fixedValues(parameter.schema);
}
