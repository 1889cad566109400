import { isPlainObject, type JsonSchema } from '../../../../tool/json.ts';
import { mapSubschemas } from '../../../../tool/parameters/schema-node.ts';

/**
 * A schema as a part of a larger document, where it stands at `place`: references to its own parts lead there. One with an `$id` is a
 * document of its own, and stays as it is.
 */
export function embedSchema(schema: JsonSchema, place: string): JsonSchema {
  const { $schema: _, ...rest } = schema;
  // An object stays one.
  return embed(rest, place) as JsonSchema;
}

function embed(node: unknown, place: string): unknown {
  if (!isPlainObject(node) || typeof node['$id'] === 'string') return node;
  const mapped = mapSubschemas(node, (part) => embed(part, place));
  const { $ref } = mapped;
  if (typeof $ref === 'string' && /^#(?:\/|$)/.test($ref)) mapped['$ref'] = place + $ref.slice(1);
  return mapped;
}
