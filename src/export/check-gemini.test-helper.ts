import { isPlainObject } from '../tool/json.ts';

const SHARED = [
  'type',
  'title',
  'description',
  'nullable',
  'format',
  'enum',
  'anyOf',
  'items',
  'properties',
  'required',
];
const LIMITS = [
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
];
const KEYWORDS: ReadonlySet<string> = new Set([...SHARED, ...LIMITS, 'pattern']);
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);
const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'float', 'double', 'int32', 'int64']);

/** Lists what the Gemini API would reject in a function's parameters; empty if they are valid. Judges the exporter in tests. */
export function checkGemini(schema: unknown): string[] {
  const problems: string[] = [];
  const check = (node: unknown, place: string): void => {
    const say = (rule: string) => problems.push(`${place}: ${rule}`);
    if (!isPlainObject(node)) return void say('is not a schema object');
    for (const keyword of Object.keys(node)) if (!KEYWORDS.has(keyword)) say(`"${keyword}" is not a field`);
    if (Array.isArray(node['anyOf'])) {
      if (Object.keys(node).length > 1) say('"anyOf" must be the only field');
      node['anyOf'].forEach((inner, index) => check(inner, `${place}/anyOf/${index}`));
      return;
    }
    if (!TYPES.has(node['type'])) say('needs one type');
    if ('format' in node && !FORMATS.has(node['format'])) say(`format "${String(node['format'])}" is not supported`);
    if ('enum' in node) {
      const values: unknown = node['enum'];
      const texts =
        Array.isArray(values) && values.length > 0 && values.every((one) => typeof one === 'string' && one !== '');
      if (!texts || node['type'] !== 'string') say('"enum" lists non-empty texts of type string only');
    }
    if (node['type'] === 'array') check(node['items'], `${place}/[]`);
    if (node['type'] !== 'object') return;
    const properties = isPlainObject(node['properties']) ? node['properties'] : {};
    if (Object.keys(properties).length === 0) say('an object needs properties');
    for (const [key, inner] of Object.entries(properties)) {
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(key)) say(`key "${key}" is not allowed`);
      check(inner, `${place}/${key}`);
    }
    const required: unknown[] = Array.isArray(node['required']) ? node['required'] : [];
    if (required.some((key) => typeof key !== 'string' || !Object.hasOwn(properties, key)))
      say('"required" names an unknown key');
  };
  check(schema, '#');
  if (!isPlainObject(schema) || schema['type'] !== 'object') problems.push('#: must be an object');
  return problems;
}
