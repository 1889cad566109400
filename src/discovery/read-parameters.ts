import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { fixedValues, readVariants } from '../tool/parameters/read-variants.ts';
import { createReferenceFinder, type FindReference } from '../tool/parameters/resolve-reference.ts';
import type { SchemaNode } from '../tool/parameters/schema-node.ts';

const DEEPEST = 4;
const MOST = 400;

/** What a tool's input schema says in words. */
export interface ParameterText {
  readonly names: string[];
  readonly descriptions: string[];
  /** Values of enumerations that are words. */
  readonly values: string[];
}

/** Collects names, descriptions and values of parameters, those of all variants and nested ones too, within bounds. */
export function readParameters(schema: JsonSchema): ParameterText {
  const text: ParameterText = { names: [], descriptions: [], values: [] };
  collect(schema, { text, find: createReferenceFinder(schema), depth: 0 });
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
      // A name that several variants share is one name; what they say of it may differ.
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
