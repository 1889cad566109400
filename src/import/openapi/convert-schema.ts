import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { createFreeNames } from '../../tool/texts/suggest.ts';
import { countParts, createLoopBreaker } from './break-loops.ts';
import { mergeAllOf, toModernKeywords } from './plain-keywords.ts';
import type { ReferenceReader } from './reference-reader.ts';

/** Converts the schemas of one OpenAPI document to JSON Schema 2020-12. */
export interface SchemaConverter {
  /** Converts a schema; its references point into `$defs`. */
  convert(schema: unknown): JsonSchema;
  /** Returns a converted schema, or the definition it refers to. */
  resolve(schema: JsonSchema): JsonSchema;
  /** Returns all definitions that a converted schema needs, by name. */
  definitions(schema: JsonSchema): Record<string, JsonSchema>;
}

/** Keys that may accompany a reference and do not restrict values. */
const REMARKS = new Set(['summary', 'title', 'example', 'examples', 'deprecated', 'externalDocs', 'xml', '$comment']);
/** Nesting of schemas: a board reads files of 60 levels, and a property takes two. */
const MAX_DEPTH = 24;
/** The longest chain of definitions that lead to each other. */
const MAX_CHAIN = 100;
const PREFIX = '#/$defs/';
/** The most parts of a definition that is copied into another, and of all such copies: each may double its source. */
const MAX_COPY = 5000;
const MAX_COPIES = 2_000_000;

/**
 * Creates the converter of a document.
 *
 * References stay references, so cycles stay cycles: each schema is converted once, on first use.
 */
export function createSchemaConverter(reader: ReferenceReader): SchemaConverter {
  const names = new Map<string, string>();
  const references = new Map<string, string>();
  const converted = new Map<string, JsonSchema | 'pending'>();
  const sizes = new Map<string, number>();
  let copied = 0;
  /** The number of nested definitions being converted. */
  let pending = 0;
  const freeName = createFreeNames((candidate) => references.has(candidate));

  const nameOf = (reference: string): string => {
    const known = names.get(reference);
    if (known !== undefined) return known;
    const wanted = (reference.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9_.-]+/g, '_') || 'schema';
    const name = references.has(wanted) ? freeName(wanted) : wanted;
    names.set(reference, name);
    references.set(name, reference);
    return name;
  };

  /** Returns the definition of a name; `undefined` while it is being converted, which reveals a cycle. */
  const definition = (name: string): JsonSchema | undefined => {
    const known = converted.get(name);
    if (known !== undefined) return known === 'pending' ? undefined : known;
    // A chain of ten thousand would overflow the stack. A remaining reference is converted on its own, later.
    if (pending >= MAX_CHAIN) return undefined;
    converted.set(name, 'pending');
    pending++;
    const schema = convert(reader.find(references.get(name) ?? ''), 0);
    pending--;
    converted.set(name, schema);
    return schema;
  };

  /** Returns a definition to copy; `undefined` if it is too large, so that it stays a reference. */
  const copy = (name: string): JsonSchema | undefined => {
    const schema = definition(name);
    if (schema === undefined) return undefined;
    const size = sizes.get(name) ?? countParts(schema, MAX_COPY);
    sizes.set(name, size);
    copied += size;
    return size > MAX_COPY || copied > MAX_COPIES ? undefined : schema;
  };

  const convertReference = (reference: string, node: JsonSchema, depth: number): JsonSchema => {
    const { $ref: _, description, ...rest } = node;
    const remark = typeof description === 'string' ? { description } : {};
    // OpenAPI 3.0 ignores keywords beside a reference, but authors mean them, as 3.1 does.
    const isMore = Object.keys(rest).some((keyword) => !REMARKS.has(keyword) && !keyword.startsWith('x-'));
    if (reader.find(reference) === undefined) return isMore ? convert({ ...rest, ...remark }, depth) : remark;
    if (isMore) return convert({ ...rest, ...remark, allOf: [{ $ref: reference }, ...listOf(rest['allOf'])] }, depth);
    return { $ref: `${PREFIX}${nameOf(reference)}`, ...remark };
  };

  const convert = (schema: unknown, depth: number): JsonSchema => {
    if (schema === false) return { not: {} };
    if (!isPlainObject(schema)) return {};
    if (depth > MAX_DEPTH) {
      reader.note(`A schema is nested deeper than ${MAX_DEPTH} levels; deeper parts accept any value.`);
      return {};
    }
    if (typeof schema['$ref'] === 'string') return convertReference(schema['$ref'], schema, depth + 1);
    const inner = mapSubschemas(schema, (part) => (typeof part === 'boolean' ? part : convert(part, depth + 1)));
    return toModernKeywords(mergeAllOf(inner, (reference) => copy(reference.slice(PREFIX.length))));
  };

  const withoutLoops = createLoopBreaker({
    find: (reference) => {
      const name = reference.slice(PREFIX.length);
      const schema = references.has(name) ? definition(name) : undefined;
      return schema === undefined ? undefined : { name, schema };
    },
    note: reader.note,
  });

  const resolve = (schema: JsonSchema): JsonSchema => {
    let target = schema;
    for (let hop = 0; hop < MAX_CHAIN && typeof target['$ref'] === 'string'; hop++)
      target = withoutLoops(target['$ref']);
    return target;
  };

  const definitions = (schema: JsonSchema): Record<string, JsonSchema> => {
    const found = new Map<string, JsonSchema>();
    const open: unknown[] = [schema];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (Array.isArray(part)) open.push(...part.filter((item) => item !== undefined));
      if (!isPlainObject(part)) continue;
      const { $ref } = part;
      const name = typeof $ref === 'string' && $ref.startsWith(PREFIX) ? $ref.slice(PREFIX.length) : undefined;
      if (name !== undefined && !found.has(name) && references.has(name)) {
        found.set(name, withoutLoops(`${PREFIX}${name}`));
        open.push(found.get(name));
      }
      open.push(...Object.values(part).filter((item) => typeof item === 'object' && item !== null));
    }
    return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };

  return { convert: (schema) => convert(schema, 0), resolve, definitions };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const IN_MAPS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
const IN_LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const ALONE = new Set(
  'additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);

/** Returns a copy of a schema with `change` applied to every direct subschema. */
function mapSubschemas(schema: JsonSchema, change: (part: unknown) => unknown): JsonSchema {
  return mapEntries(schema, (value, keyword) => {
    if (ALONE.has(keyword)) return change(value);
    if (IN_LISTS.has(keyword)) return Array.isArray(value) ? value.map(change) : undefined;
    if (IN_MAPS.has(keyword)) return isPlainObject(value) ? mapEntries(value, change) : undefined;
    return value;
  });
}

/** Returns a copy of an object with changed values, without those that become `undefined`. */
function mapEntries(node: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema {
  const entries = Object.entries(node).map(([key, value]) => [key, change(value, key)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
