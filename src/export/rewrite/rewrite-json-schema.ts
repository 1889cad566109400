import { isPlainObject } from '../../tool/json.ts';
import { createDefinitions } from './definitions.ts';
import { mapKeys } from './map-keys.ts';
import { mergeNodes } from '../../tool/parameters/merge-nodes.ts';
import { createNameTable, type NameRules } from '../name-table.ts';
import { referenceOf } from '../../tool/parameters/resolve-reference.ts';
import { childPath, innerPath, type RewriteContext, type RewrittenArguments, ROOT_PATH } from './rewrite-context.ts';
import {
  asNode,
  mapSubschemas,
  mapValues,
  type SchemaNode,
  stringList,
  typeList,
  without,
} from '../../tool/parameters/schema-node.ts';
import { Unportable } from './unportable.ts';

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
