import { isPlainObject, jsonKey } from '../../../tool/json.ts';
import { NEVER, type Place, renderNull, type Rewritten, type SubsetContext } from './subset-context.ts';
import { carriedKeywords } from './subset-scalar.ts';
import { createNameTable } from '../../name-table.ts';
import type { UndoField } from '../restore-input.ts';
import { childPath, ROOT_PATH, Unportable } from '../rewrite-context.ts';
import {
  asNode,
  nodeMap,
  type SchemaNode,
  stringList,
  typeList,
  without,
} from '../../../tool/parameters/schema-node.ts';

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

const MAX_SHOWN = 400;
const IDLE: Readonly<Record<string, readonly string[]>> = {
  propertyNames: ['{}', '{"type":"string"}'],
  additionalProperties: ['{}', 'true'],
};

/** Turns a place that the target cannot describe into a string with its JSON; calls are parsed back. */
export function jsonText(
  node: SchemaNode,
  place: Place,
  context: SubsetContext & { readonly reason: string; readonly like?: string },
): Rewritten {
  const types = typeList(node);
  const kinds = types.filter((type) => type !== 'null');
  const holds = kinds.length === 1 && (kinds[0] === 'object' || kinds[0] === 'array') ? kinds[0] : 'value';
  const own = typeof node['description'] === 'string' ? `${node['description'].trim()} ` : '';
  const message = `${context.reason}; the model sends it as JSON text, which is parsed on a call.`;
  context.report({ path: place.path, rule: 'free-form value', action: 'rewritten', message });
  return {
    schema: { type: 'string', description: `${own}JSON text of ${contents(node, holds, context.like)}.` },
    nullable: types.includes('null'),
    undo: { kind: 'text', holds },
  };
}

function contents(node: SchemaNode, holds: 'object' | 'array' | 'value', like?: string): string {
  if (holds === 'object' && isEmptyObject(node)) return 'an empty object, {}';
  const word = holds === 'value' ? 'a value' : holds === 'array' ? 'an array' : 'an object';
  if (like !== undefined) return `${word} like ${like} around it`;
  const all = without(node, 'type', 'description', 'title', 'default', 'examples', '$defs');
  // Every key is a string, and "any value" says nothing: without them, the map is easier to read.
  const rules = without(all, ...Object.keys(IDLE).filter((keyword) => IDLE[keyword]?.includes(jsonKey(all[keyword]))));
  const values = rules['additionalProperties'];
  const valueType = asNode(values)['type'];
  if (Object.keys(rules).length === 0) return word;
  if (Object.keys(rules).length === 1 && typeof valueType === 'string' && Object.keys(asNode(values)).length === 1) {
    return `${word} with ${valueType} values`;
  }
  const shown = JSON.stringify({ ...(holds === 'value' ? {} : { type: holds }), ...rules });
  return shown.length > MAX_SHOWN || shown.includes('"$ref"')
    ? word
    : `${word} that follows this JSON Schema: ${shown}`;
}

function isEmptyObject(node: SchemaNode): boolean {
  const listed = node['properties'];
  const closed = node['additionalProperties'] === undefined || node['additionalProperties'] === false;
  return isPlainObject(listed) && Object.keys(listed).length === 0 && closed && !('patternProperties' in node);
}
