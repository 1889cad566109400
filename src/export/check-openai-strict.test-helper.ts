import { isPlainObject } from '../tool/json.ts';

const ANNOTATIONS = ['type', 'description', 'title', 'enum', 'const', 'anyOf', '$ref', '$defs'];
const SHAPES = ['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'pattern', 'format'];
const NUMBERS = ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const KEYWORDS: ReadonlySet<string> = new Set([...ANNOTATIONS, ...SHAPES, ...NUMBERS]);
const TEXT_FORMATS = 'date-time time date duration email hostname ipv4 ipv6 uuid';
const FORMATS: ReadonlySet<unknown> = new Set(TEXT_FORMATS.split(' '));
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'boolean', 'integer', 'object', 'array', 'null']);

/**
 * Lists what OpenAI's strict mode would reject in a schema, as lines `place: rule`; empty if it is valid. Shares no code with the
 * exporter, so that it can judge it.
 */
export function checkOpenAIStrict(schema: unknown): string[] {
  const problems: string[] = [];
  const totals = { properties: 0, enumValues: 0, characters: 0 };
  const root = isPlainObject(schema) ? schema : {};
  const definitions = isPlainObject(root['$defs']) ? root['$defs'] : {};

  const check = (node: unknown, place: string, level: number): void => {
    const say = (rule: string) => problems.push(`${place}: ${rule}`);
    if (!isPlainObject(node)) return void say('is not a schema object');
    for (const keyword of Object.keys(node)) if (!KEYWORDS.has(keyword)) say(`"${keyword}" is not supported`);
    const types: unknown[] = Array.isArray(node['type']) ? node['type'] : 'type' in node ? [node['type']] : [];
    if (types.some((type) => !TYPES.has(type)) || new Set(types).size !== types.length) say('"type" is not valid');
    const here = types.includes('object') || types.includes('array') ? level + 1 : level;
    if (here > 10) say('is nested more than 10 levels deep');
    if ('$ref' in node) checkReference(node, say);
    else if (types.length === 0 && !('anyOf' in node)) say('has no "type"');
    if ('$defs' in node && place !== '#') say('"$defs" belongs at the top');
    if ('format' in node && !FORMATS.has(node['format'])) say(`format "${String(node['format'])}" is not supported`);
    if ('enum' in node) checkEnum(node['enum'], say);
    if (types.includes('object')) checkObject(node, say);
    else if ('properties' in node) say('"properties" without type object');
    if (isPlainObject(node['properties'])) {
      for (const [key, inner] of Object.entries(node['properties'])) check(inner, `${place}/${key}`, here);
    }
    if (types.includes('array') && !('items' in node)) say('an array needs "items"');
    if ('items' in node) check(node['items'], `${place}/[]`, here);
    if ('anyOf' in node) {
      if (place === '#') say('the top level must not be "anyOf"');
      if (!Array.isArray(node['anyOf']) || node['anyOf'].length === 0) say('"anyOf" needs alternatives');
      else node['anyOf'].forEach((inner, index) => check(inner, `${place}/anyOf/${index}`, level));
    }
  };

  const checkObject = (node: Record<string, unknown>, say: (rule: string) => void): void => {
    if (node['additionalProperties'] !== false) say('"additionalProperties" must be false');
    if (!isPlainObject(node['properties'])) return say('an object needs "properties"');
    const keys = Object.keys(node['properties']);
    const required: readonly unknown[] = Array.isArray(node['required']) ? node['required'] : [];
    if (required.length !== keys.length || keys.some((key) => !required.includes(key)))
      say('"required" must list every property');
    totals.properties += keys.length;
    totals.characters += keys.join('').length;
  };

  const checkEnum = (values: unknown, say: (rule: string) => void): void => {
    if (!Array.isArray(values) || values.length === 0) return say('"enum" needs values');
    const text = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('');
    if (new Set(values.map((value) => JSON.stringify(value))).size !== values.length) say('"enum" lists a value twice');
    if (values.some((value) => typeof value === 'object' && value !== null)) say('"enum" lists plain values only');
    if (values.length > 250 && text.length > 15_000) say('"enum" has over 250 values and 15,000 characters');
    totals.enumValues += values.length;
    totals.characters += text.length;
  };

  const checkReference = (node: Record<string, unknown>, say: (rule: string) => void): void => {
    if (Object.keys(node).length > 1) say('"$ref" must stand alone');
    const reference = String(node['$ref']);
    const known =
      reference === '#' || (reference.startsWith('#/$defs/') && Object.hasOwn(definitions, reference.slice(8)));
    if (!known) say(`"${reference}" is not defined`);
  };

  check(schema, '#', 0);
  if (root['type'] !== 'object') problems.push('#: the top level must be an object');
  for (const [name, node] of Object.entries(definitions)) {
    totals.characters += name.length;
    check(node, `#/$defs/${name}`, 0);
  }
  if (totals.properties > 5000) problems.push('#: more than 5,000 properties');
  if (totals.enumValues > 1000) problems.push('#: more than 1,000 enum values');
  if (totals.characters > 120_000) problems.push('#: more than 120,000 characters of names and values');
  return problems;
}
