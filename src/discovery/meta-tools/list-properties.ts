import { isPlainObject, type JsonSchema } from '../../core/json.ts';
import { resolveReference } from './resolve-reference.ts';

/** A field of an object. */
export interface Property {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

const MAX_NESTING = 8;

/** The fields of an object schema, those that come in through `allOf` and `$ref` with them. */
export function listProperties(schema: JsonSchema, root: JsonSchema, nesting = 0): Property[] {
  if (nesting > MAX_NESTING) return [];
  const { properties, required, allOf, $ref } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const found = new Map<string, Property>();
  const add = (property: Property): void => {
    const earlier = found.get(property.name);
    const isRequired = property.isRequired || earlier?.isRequired === true || needed.has(property.name);
    found.set(property.name, { ...property, isRequired });
  };
  for (const [name, value] of Object.entries(isPlainObject(properties) ? properties : {})) {
    add({ name, schema: value, isRequired: needed.has(name) });
  }
  const parts: unknown[] = [
    ...(typeof $ref === 'string' ? [resolveReference($ref, root)] : []),
    ...(Array.isArray(allOf) ? allOf : []),
  ];
  for (const part of parts) if (isPlainObject(part)) listProperties(part, root, nesting + 1).forEach(add);
  // A part may require what another part describes.
  const all = new Set([...needed, ...parts.flatMap((part) => requiredBy(part))]);
  return [...found.values()].map((property) => ({
    ...property,
    isRequired: property.isRequired || all.has(property.name),
  }));
}

function requiredBy(part: unknown): unknown[] {
  return isPlainObject(part) && Array.isArray(part['required']) ? part['required'] : [];
}
