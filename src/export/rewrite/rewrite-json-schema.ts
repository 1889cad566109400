import { isPlainObject } from '../../tool/json.ts';
import { createDefinitions } from './restore-input.ts';
import { mergeNodes } from '../../tool/parameters/merge-nodes.ts';
import { createNameTable, type NameRules } from '../name-table.ts';
import {
  asNode,
  mapSubschemas,
  mapValues,
  nodeList,
  nodeMap,
  ownNode,
  referenceOf,
  type SchemaNode,
  stringList,
  typeList,
  without,
} from '../../tool/parameters/schema-node.ts';
import {
  childPath,
  innerPath,
  type RewriteContext,
  type RewrittenArguments,
  ROOT_PATH,
  Unportable,
} from './rewrite-context.ts';

const MAX_PLACES = 20_000;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
const MARKERS = ['$defs', '$id', 'id', '$anchor', '$dynamicAnchor', '$recursiveAnchor'];

interface ReferenceRules {
  readonly refs: 'keep' | 'inline';
  readonly keys?: NameRules | undefined;
}

/** Rewrites an object schema for a target that accepts most of JSON Schema, and returns how to undo it in calls. */
export function rewriteJsonSchema(
  root: SchemaNode,
  rules: ReferenceRules,
  context: RewriteContext,
): RewrittenArguments {
  const keys = rules.keys && createNameTable(propertyKeys(root), rules.keys);
  const providerKey = (key: string) => keys?.toProvider(key) ?? key;
  const definitions = createDefinitions();
  let places = 0;

  const visit = (node: SchemaNode, path: string, open: readonly string[]): SchemaNode => {
    places += 1;
    if (places > MAX_PLACES || open.length > 64) {
      throw new Unportable(path, 'schema size', 'Written out, the schema has too many parts. Split the tool.');
    }
    const reference = referenceOf(node);
    if (reference === undefined) return visitKeywords(node, path, open);
    const siblings = without(node, ...REFERENCES);
    const target = context.resolve(reference, path);
    if (rules.refs === 'inline' && reference !== '#' && !open.includes(reference)) {
      return visit(mergeNodes([siblings, without(target, '$defs')]), path, [...open, reference]);
    }
    return { $ref: definitions.keep(reference), ...visitKeywords(siblings, path, open) };
  };

  const visitKeywords = (node: SchemaNode, path: string, open: readonly string[]): SchemaNode => {
    const kept = withoutVendor(without(node, ...MARKERS), path, context);
    const listed = isPlainObject(kept['properties']) ? Object.keys(kept['properties']) : [];
    for (const key of listed.filter((one) => providerKey(one) !== one)) {
      const message = `The key is sent as "${providerKey(key)}" and mapped back in calls.`;
      context.report({ path: childPath(path, key), rule: 'property key', action: 'renamed', message });
    }
    const schema = mapSubschemas(kept, (inner, keyword, key) =>
      typeof inner === 'boolean' ? inner : visit(asNode(inner), innerPath(path, keyword, key), open),
    );
    if (isPlainObject(schema['properties'])) {
      const entries = Object.entries(schema['properties']).map(([key, inner]) => [providerKey(key), inner]);
      schema['properties'] = Object.fromEntries(entries);
    }
    if ('required' in kept) schema['required'] = stringList(kept['required']).map(providerKey);
    if (isPlainObject(kept['dependentRequired'])) {
      const lists = mapValues(kept['dependentRequired'], (list) => stringList(list).map(providerKey));
      schema['dependentRequired'] = Object.fromEntries(
        Object.entries(lists).map(([key, list]) => [providerKey(key), list]),
      );
    }
    if (typeList(kept).includes('array') && !('items' in kept)) schema['items'] = {};
    return schema;
  };

  const main = visit(root, ROOT_PATH, ['#']);
  definitions.finish((reference, name) => {
    const target = without(context.resolve(reference, ROOT_PATH), '$defs');
    return { schema: visit(target, name, [reference]), undo: undefined };
  });
  const schema = definitions.size > 0 ? { ...main, $defs: definitions.schemas() } : main;
  if (!keys?.entries().some(([key, other]) => key !== other)) {
    return { schema, restore: (input) => input, translate: (input) => input };
  }
  const original = (key: string) => keys.toOriginal(key) ?? key;
  return {
    schema,
    restore: (input) => mapKeys(input, schema, { declared: (key) => key, written: original }),
    translate: (input) => mapKeys(input, schema, { declared: providerKey, written: providerKey }),
  };
}

function withoutVendor(node: SchemaNode, path: string, context: RewriteContext): SchemaNode {
  const vendor = Object.keys(node).filter((keyword) => keyword.startsWith('x-'));
  for (const keyword of vendor) {
    const message = `"${keyword}" means nothing to a model.`;
    context.report({ path, rule: 'vendor keyword', action: 'dropped', message });
  }
  return without(node, ...vendor);
}

function propertyKeys(schema: unknown): string[] {
  if (!isPlainObject(schema)) return [];
  const found = isPlainObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  mapSubschemas(schema, (inner) => {
    // Pushed one by one: spreading thousands of keys into one call would overflow the stack.
    for (const key of propertyKeys(inner)) found.push(key);
    return inner;
  });
  return found;
}

const MAX_DEPTH = 256;

/** Maps the keys of a value to those of the exported schema, or back. */
interface KeyMapping {
  declared(key: string): string;
  written(key: string): string;
}

/** Renames the keys of a value that the exported schema declares; keys of free maps stay. */
function mapKeys(input: unknown, root: SchemaNode, mapping: KeyMapping): unknown {
  const rename = (value: unknown, schemas: readonly SchemaNode[], depth: number): unknown => {
    if (depth > MAX_DEPTH) return value;
    const all = expand(schemas, root);
    if (Array.isArray(value)) {
      return value.map((item, index) => {
        const inner = all.map((schema) => nodeList(schema['prefixItems'])[index] ?? asNode(schema['items']));
        return rename(item, inner, depth + 1);
      });
    }
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const declared = declarations(all, mapping.declared(key));
        if (declared.length > 0) return [mapping.written(key), rename(inner, declared, depth + 1)];
        return [key, rename(inner, freeSchemas(all), depth + 1)];
      }),
    );
  };
  return rename(input, [root], 0);
}

function declarations(schemas: readonly SchemaNode[], key: string): SchemaNode[] {
  return schemas.map((schema) => ownNode(schema['properties'], key)).filter((schema) => schema !== undefined);
}

function freeSchemas(schemas: readonly SchemaNode[]): SchemaNode[] {
  return schemas.flatMap((schema) =>
    Object.values(nodeMap(schema['patternProperties'])).concat(asNode(schema['additionalProperties'])),
  );
}

/** Returns the schemas together with everything they are composed of. */
function expand(schemas: readonly SchemaNode[], root: SchemaNode): SchemaNode[] {
  const all = new Set<SchemaNode>();
  const queue = [...schemas];
  for (let schema = queue.shift(); schema !== undefined; schema = queue.shift()) {
    if (all.has(schema)) continue;
    all.add(schema);
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) queue.push(...nodeList(schema[keyword]));
    for (const keyword of ['then', 'else']) if (isPlainObject(schema[keyword])) queue.push(schema[keyword]);
    queue.push(...Object.values(nodeMap(schema['dependentSchemas'])));
    const reference = schema['$ref'];
    if (reference === '#') queue.push(root);
    else if (typeof reference === 'string') {
      queue.push(ownNode(root['$defs'], reference.slice('#/$defs/'.length)) ?? {});
    }
  }
  return [...all];
}
