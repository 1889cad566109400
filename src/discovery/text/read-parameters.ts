import { isPlainObject, type JsonSchema } from '../../core/json.ts';

const DEEPEST = 4;
const MOST = 400;

/** What a tool's input schema says in words. */
export interface ParameterText {
  readonly names: string[];
  readonly descriptions: string[];
  /** Values of enumerations that are words. */
  readonly values: string[];
}

/** Collects names, descriptions and values of parameters, nested ones too, within bounds. */
export function readParameters(schema: JsonSchema): ParameterText {
  const text: ParameterText = { names: [], descriptions: [], values: [] };
  collect(schema, text, 0);
  return text;
}

function collect(schema: unknown, text: ParameterText, depth: number): void {
  if (!isPlainObject(schema) || depth > DEEPEST) return;
  const { properties, items } = schema;
  if (items !== undefined) collect(items, text, depth + 1);
  if (!isPlainObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    if (text.names.length >= MOST) return;
    text.names.push(name);
    if (!isPlainObject(property)) continue;
    if (typeof property['description'] === 'string') text.descriptions.push(property['description']);
    const values: unknown = property['enum'];
    if (Array.isArray(values)) for (const value of values) if (typeof value === 'string') text.values.push(value);
    collect(property, text, depth + 1);
  }
}
