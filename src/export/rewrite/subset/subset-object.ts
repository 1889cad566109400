import { isPlainObject } from '../../../tool/json.ts';
import { type SubsetContext, NEVER, type Place, renderNull, type Rewritten } from './subset-context.ts';
import { carriedKeywords } from './subset-scalar.ts';
import { jsonText } from './json-text.ts';
import { createNameTable } from '../../name-table.ts';
import type { UndoField } from '../restore-input.ts';
import { childPath, ROOT_PATH } from '../rewrite-context.ts';
import { nodeMap, type SchemaNode, stringList } from '../../../tool/parameters/schema-node.ts';
import { Unportable } from '../unportable.ts';

/** Rewrites an object with a known list of properties, or makes it JSON text if its keys are free. */
export function subsetObject(node: SchemaNode, place: Place, context: SubsetContext): Rewritten {
  const { rules } = context;
  const properties = allProperties(node);
  const open = isOpen(node);
  const bare = properties.size === 0;
  if (bare && (open || (!isPlainObject(node['properties']) && node['additionalProperties'] !== false))) {
    return jsonText(node, place, { ...context, reason: 'The keys of this object are free' });
  }
  if (open && rules.allRequired) return jsonText(node, place, { ...context, reason: 'This object takes further keys' });
  const listed = listedObject(node, place, context);
  const empty = Object.keys(nodeMap(listed.schema['properties'])).length === 0;
  if (!empty || rules.emptyObjects) return listed;
  return jsonText(node, place, { ...context, reason: `${context.provider} takes no object without properties` });
}

/** Rewrites an object with only its listed properties; other keys cannot be sent. */
function listedObject(node: SchemaNode, place: Place, context: SubsetContext): Rewritten {
  const { rules, report } = context;
  if (isOpen(node)) {
    const message = `${context.provider} sends the listed keys only. List every key the model should send.`;
    report({ path: place.path, rule: 'additionalProperties', action: 'narrowed', message });
  }
  const properties = allProperties(node);
  const required = new Set(stringList(node['required']));
  const keys = rules.keys && createNameTable(properties.keys(), rules.keys);
  const schemas: [string, SchemaNode][] = [];
  const fields = new Map<string, UndoField>();
  for (const [key, property] of properties) {
    const path = childPath(place.path, key);
    const rewritten = visitProperty(
      property,
      { ...place, path, depth: place.depth + 1 },
      { context, required: required.has(key) },
    );
    if (rewritten === undefined) continue;
    const providerKey = keys?.toProvider(key) ?? key;
    if (providerKey !== key) {
      const message = `The key is sent as "${providerKey}" and mapped back in calls.`;
      report({ path, rule: 'property key', action: 'renamed', message });
    }
    const forced = rules.allRequired && !required.has(key);
    schemas.push([providerKey, renderNull({ ...rewritten, nullable: rewritten.nullable || forced }, rules)]);
    const dropNull = forced && !rewritten.nullable;
    if (dropNull || providerKey !== key || rewritten.undo)
      fields.set(providerKey, { key, dropNull, undo: rewritten.undo });
  }
  const listed = schemas.map(([key]) => key);
  const demanded = rules.allRequired
    ? listed
    : [...required].map((key) => keys?.toProvider(key) ?? key).filter((key) => listed.includes(key));
  return {
    schema: {
      type: 'object',
      ...carriedKeywords(node, 'object', { place, context }),
      properties: Object.fromEntries(schemas),
      ...(rules.allRequired || demanded.length > 0 ? { required: demanded } : {}),
      ...(rules.allRequired ? { additionalProperties: false } : {}),
    },
    nullable: false,
    undo: fields.size > 0 ? { kind: 'object', fields } : undefined,
  };
}

/** Rewrites the arguments as a whole; a map without any listed key becomes one string argument. */
export function rootObject(node: SchemaNode, context: SubsetContext): Rewritten {
  const place = { path: ROOT_PATH, depth: 0, open: ['#'] };
  if (allProperties(node).size > 0 || !isOpen(node)) return listedObject(node, place, context);
  const { schema } = jsonText({ ...node, type: 'object' }, place, {
    ...context,
    reason: 'The names of the arguments are free',
  });
  const { allRequired } = context.rules;
  return {
    schema: {
      type: 'object',
      properties: { json: schema },
      required: ['json'],
      ...(allRequired ? { additionalProperties: false } : {}),
    },
    nullable: false,
    undo: { kind: 'wrapped', key: 'json' },
  };
}

function visitProperty(
  node: SchemaNode,
  place: Place,
  at: { readonly context: SubsetContext; readonly required: boolean },
): Rewritten | undefined {
  try {
    return at.context.visit(node, place);
  } catch (error) {
    const never = error instanceof Unportable && error.rule === NEVER && error.path === place.path;
    if (!never || at.required) throw error;
    at.context.report({
      path: place.path,
      rule: NEVER,
      action: 'dropped',
      message: 'No value is allowed here, so the key is not offered.',
    });
    return undefined;
  }
}

function allProperties(node: SchemaNode): Map<string, SchemaNode> {
  const properties = new Map(Object.entries(nodeMap(node['properties'])));
  for (const key of stringList(node['required'])) if (!properties.has(key)) properties.set(key, {});
  return properties;
}

function isOpen(node: SchemaNode): boolean {
  const additional = node['additionalProperties'];
  return (
    additional === true ||
    (isPlainObject(additional) && !isNever(additional)) ||
    isPlainObject(node['patternProperties'])
  );
}

function isNever(node: SchemaNode): boolean {
  return isPlainObject(node['not']) && Object.keys(node['not']).length === 0;
}
