import { innerPath, type ReportChange, ROOT_PATH } from './rewrite-context.ts';
import { isPlainObject } from '../../tool/json.ts';
import { mapSubschemas, type SchemaNode, without } from '../../tool/parameters/schema-node.ts';

/** Returns a copy without invalid keywords; providers reject the whole request for one of them. */
export function cleanKeywords(node: SchemaNode, report: ReportChange, path: string = ROOT_PATH): SchemaNode {
  const invalid = Object.keys(node).filter((keyword) => !isValidKeyword(keyword, node[keyword]));
  for (const keyword of invalid) {
    const message = `The value of "${keyword}" is not one JSON Schema allows. Correct it in the tool's schema.`;
    report({ path, rule: keyword, action: 'dropped', message });
  }
  return mapSubschemas(without(node, ...invalid), (inner, keyword, key) => {
    if (!isPlainObject(inner)) return inner;
    return cleanKeywords(inner, report, innerPath(path, keyword, key));
  });
}

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const SIZES: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]);
const NUMBERS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
]);
const TEXTS: ReadonlySet<string> = new Set(['description', 'title', 'pattern', 'format']);

/** True when a keyword's value has the type that JSON Schema requires. */
function isValidKeyword(keyword: string, value: unknown): boolean {
  if (keyword === 'type') return Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value);
  if (keyword === 'required') return Array.isArray(value) && value.every((key) => typeof key === 'string');
  if (keyword === 'enum' || keyword === 'examples') return Array.isArray(value);
  if (keyword === 'properties' || keyword === 'patternProperties') return isPlainObject(value);
  if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf')
    return Array.isArray(value) && value.length > 0;
  if (SIZES.has(keyword)) return Number.isInteger(value) && Number(value) >= 0;
  if (NUMBERS.has(keyword)) return typeof value === 'number' && Number.isFinite(value);
  return !TEXTS.has(keyword) || typeof value === 'string';
}

function isType(value: unknown): boolean {
  return TYPES.has(value);
}
