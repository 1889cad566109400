import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { fixedValues, readVariants } from '../tool/parameters/read-variants.ts';
import { createReferenceFinder, type FindReference } from '../tool/parameters/resolve-reference.ts';
import type { SchemaNode } from '../tool/parameters/schema-node.ts';

const DEEPEST = 4;
const MOST = 400;
/** A tool with more parameters has options, which say how it does something rather than what. */
const MANY = 16;

/** The texts of a tool's input schema. */
export interface ParameterText {
  readonly names: string[];
  readonly descriptions: string[];
  /** Values of enumerations that are words. */
  readonly values: string[];
  /** The texts of optional parameters, if a tool has very many. */
  readonly options: string[];
}

/** Collects names, descriptions and values of parameters, including variants and nested ones, within limits. */
export function readParameters(schema: JsonSchema): ParameterText {
  const text: ParameterText = { names: [], descriptions: [], values: [], options: [] };
  const find = createReferenceFinder(schema);
  const { properties, required } = schema;
  if (!isPlainObject(properties) || Object.keys(properties).length <= MANY) {
    collect(schema, { text, find, depth: 0 });
    return text;
  }
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const [own, further] = [true, false].map((isNeeded) => {
    const chosen = Object.entries(properties).filter(([name]) => needed.has(name) === isNeeded);
    return { ...schema, properties: Object.fromEntries(chosen) };
  });
  const options: ParameterText = { names: [], descriptions: [], values: [], options: [] };
  if (own !== undefined) collect(own, { text, find, depth: 0 });
  if (further !== undefined) collect(further, { text: options, find, depth: 0 });
  text.options.push(...options.names, ...options.descriptions, ...options.values);
  return text;
}

interface Collection {
  readonly text: ParameterText;
  readonly find: FindReference;
  readonly depth: number;
}

function collect(schema: SchemaNode, { text, find, depth }: Collection): void {
  if (depth > DEEPEST) return;
  const inner = { text, find, depth: depth + 1 };
  const { items } = schema;
  if (isPlainObject(items)) collect(items, inner);
  const seen = new Set<string>();
  for (const { parameters } of readVariants(schema, find)) {
    for (const { name, schema: property } of parameters) {
      if (text.names.length >= MOST) return;
      // A name that several variants share counts once; their descriptions may differ.
      if (!seen.has(name)) text.names.push(name);
      const { description } = property;
      if (typeof description === 'string' && (!seen.has(name) || !text.descriptions.includes(description)))
        text.descriptions.push(description);
      seen.add(name);
      for (const value of fixedValues(property) ?? []) {
        if (typeof value === 'string' && !text.values.includes(value)) text.values.push(value);
      }
      collect(property, inner);
    }
  }
}
