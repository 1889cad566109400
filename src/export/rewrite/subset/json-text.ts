import { isPlainObject } from '../../../tool/json.ts';
import type { SubsetContext, Place, Rewritten } from './subset-context.ts';
import { asNode, jsonKey, type SchemaNode, typeList, without } from '../../../tool/parameters/schema-node.ts';

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
