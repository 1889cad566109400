import { isPlainObject, type JsonSchema } from '../json.ts';
import { expandVariants } from './expand-variants.ts';
import { createReferenceFinder, type FindReference } from './resolve-reference.ts';
import { asNode, nodeList, nodeMap, ownNode, type SchemaNode, stringList, without } from './schema-node.ts';

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
