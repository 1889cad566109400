import { innerPath, type ReportChange, ROOT_PATH, Unportable } from './rewrite-context.ts';
import { isPlainObject } from '../../tool/json.ts';
import { asNode, mapSubschemas, type SchemaNode, stringList, without } from '../../tool/parameters/schema-node.ts';

const KEEP_BOOLEAN: ReadonlySet<string> = new Set([
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
]);

/** Converts older drafts and OpenAPI keywords to draft 2020-12, and `true`/`false` schemas to objects. */
export function modernSchema(schema: SchemaNode): SchemaNode {
  const node = mapSubschemas(schema, (inner, keyword) => {
    if (typeof inner === 'boolean' && KEEP_BOOLEAN.has(keyword)) return inner;
    return Array.isArray(inner) ? inner : modernSchema(asNode(inner));
  });
  let modern = without(node, '$schema', '$comment', 'definitions', 'additionalItems', 'dependencies', 'nullable');
  if (isPlainObject(node['definitions'])) modern['$defs'] = { ...node['definitions'], ...asNode(node['$defs']) };
  if (Array.isArray(node['items'])) modern = withTuple(modern, node);
  if (node['nullable'] === true) modern = withNullable(modern);
  for (const bound of ['Minimum', 'Maximum']) modern = withNumericBound(modern, bound);
  return isPlainObject(node['dependencies']) ? withDependencies(modern, node['dependencies']) : modern;
}

function withTuple(modern: SchemaNode, node: SchemaNode): SchemaNode {
  const rest = node['additionalItems'];
  return {
    ...without(modern, 'items'),
    prefixItems: node['items'],
    ...(rest === undefined ? {} : { items: asNode(rest) }),
  };
}

function withNullable(modern: SchemaNode): SchemaNode {
  const nullable = { ...modern };
  if (typeof modern['type'] === 'string') nullable['type'] = [modern['type'], 'null'];
  else if (Array.isArray(modern['type'])) nullable['type'] = [...new Set([...stringList(modern['type']), 'null'])];
  else if (modern['type'] === undefined && Object.keys(modern).some((keyword) => keyword !== 'description')) {
    return { anyOf: [without(modern, 'description'), { type: 'null' }], ...pick(modern, 'description') };
  }
  if (Array.isArray(modern['enum']) && !modern['enum'].includes(null)) nullable['enum'] = [...modern['enum'], null];
  return nullable;
}

/** Draft 4 wrote `minimum: 3, exclusiveMinimum: true` for the later `exclusiveMinimum: 3`. */
function withNumericBound(modern: SchemaNode, bound: string): SchemaNode {
  const exclusive = `exclusive${bound}`;
  const inclusive = bound.toLowerCase();
  if (typeof modern[exclusive] !== 'boolean') return modern;
  const plain = without(modern, exclusive);
  if (!modern[exclusive] || modern[inclusive] === undefined) return plain;
  return { ...without(plain, inclusive), [exclusive]: modern[inclusive] };
}

function withDependencies(modern: SchemaNode, dependencies: SchemaNode): SchemaNode {
  const all = Object.entries(dependencies);
  const lists = Object.fromEntries(all.filter(([, value]) => Array.isArray(value)));
  const schemas = Object.fromEntries(all.filter(([, value]) => !Array.isArray(value)));
  return {
    ...modern,
    ...(Object.keys(lists).length > 0 ? { dependentRequired: lists } : {}),
    ...(Object.keys(schemas).length > 0 ? { dependentSchemas: schemas } : {}),
  };
}

function pick(node: SchemaNode, keyword: string): SchemaNode {
  return node[keyword] === undefined ? {} : { [keyword]: node[keyword] };
}

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

const MAX_DEPTH = 128;
const MAX_VALUES = 20_000;
const MAX_ALTERNATIVES = 500;
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

/** Returns a bounded copy of a schema as plain JSON. Throws `Unportable` if it is too big, too deep or circular. */
export function copySchema(schema: unknown): SchemaNode {
  let values = 0;
  const open = new Set<unknown>();
  const copy = (value: unknown, depth: number): unknown => {
    values += 1;
    if (values > MAX_VALUES) {
      throw new Unportable('(arguments)', 'schema size', 'The schema has more than 20,000 parts. Split the tool.');
    }
    if (typeof value !== 'object' || value === null) return value;
    if (open.has(value)) {
      throw new Unportable(
        '(arguments)',
        'circular schema',
        'The schema contains itself as a JavaScript object. Use $defs and $ref.',
      );
    }
    if (depth >= MAX_DEPTH) {
      throw new Unportable('(arguments)', 'schema depth', 'The schema is nested more than 64 levels deep. Flatten it.');
    }
    open.add(value);
    const result = Array.isArray(value)
      ? value.map((item) => copy(item, depth + 1))
      : Object.fromEntries(
          Object.entries(value)
            .filter(([key, inner]) => isJson(inner) && key !== '__proto__')
            .map(([key, inner]) => {
              if (LISTS.has(key) && Array.isArray(inner) && inner.length > MAX_ALTERNATIVES) {
                const message = `"${key}" has ${inner.length} parts; at most 500 are handled. Use fewer alternatives.`;
                throw new Unportable('(arguments)', 'schema size', message);
              }
              return [key, copy(inner, depth + 1)];
            }),
        );
    open.delete(value);
    return result;
  };
  const result = schema === true ? {} : copy(schema, 0);
  if (isPlainObject(result)) return result;
  throw new Unportable(
    '(arguments)',
    'top level object',
    'The input schema is not a JSON Schema object. Describe the arguments as one.',
  );
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint';
}
