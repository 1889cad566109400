import type { JsonSchema } from './own-names.ts';

/** A schema without its types: some sets have types of other languages, which no board accepts. */
export function withoutTypes(schema: unknown): JsonSchema {
  // Every level of these sets' schemas is JSON; what is missing stays missing.
  const { properties, items, description, enum: values } = (schema ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(values) ? { enum: values as unknown[] } : {}),
    ...(isObject(items) ? { items: withoutTypes(items) } : {}),
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, withoutTypes(one)])) }
      : {}),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
