import { ROOT_PATH } from '../rewrite-context.ts';
import { asNode, mapSubschemas, nodeMap, type SchemaNode, typeList } from '../../../tool/parameters/schema-node.ts';
import { Unportable } from '../unportable.ts';

/** Throws `Unportable` for a strict schema that is bigger than OpenAI takes. */
export function assertStrictLimits(schema: SchemaNode): void {
  const totals = { properties: 0, levels: 0, enumValues: 0, characters: 0 };
  const count = (node: SchemaNode, level: number): SchemaNode => {
    const types = typeList(node);
    const here = types.includes('object') || types.includes('array') ? level + 1 : level;
    const names = [...Object.keys(nodeMap(node['properties'])), ...Object.keys(nodeMap(node['$defs']))];
    const values: unknown[] = Array.isArray(node['enum']) ? node['enum'] : [];
    totals.properties += Object.keys(nodeMap(node['properties'])).length;
    totals.levels = Math.max(totals.levels, here);
    totals.enumValues += values.length;
    totals.characters += length(names) + length(values);
    if (values.length > 250 && length(values) > 15_000) {
      fail('enum', 'A list of more than 250 values has more than 15,000 characters in them. Shorten the values.');
    }
    return mapSubschemas(node, (inner, keyword) => count(asNode(inner), keyword === '$defs' ? 0 : here));
  };
  // The subschema walk would take `additionalProperties: false` for a place of its own; that adds nothing to a total.
  count(schema, 0);
  if (totals.properties > 5000)
    fail('properties', `${totals.properties} properties; strict mode takes 5,000. Split the tool.`);
  if (totals.levels > 10)
    fail('nesting', `${totals.levels} levels of nesting; strict mode takes 10. Flatten the arguments.`);
  if (totals.enumValues > 1000)
    fail('enum', `${totals.enumValues} enum values; strict mode takes 1,000. Use a plain string.`);
  if (totals.characters > 120_000) {
    fail(
      'schema size',
      `${totals.characters} characters of names and values; strict mode takes 120,000. Split the tool.`,
    );
  }
}

function length(values: readonly unknown[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value : JSON.stringify(value)).length,
    0,
  );
}

function fail(rule: string, message: string): never {
  throw new Unportable(ROOT_PATH, rule, `${message.replace(/\.$/, '')}, or export it without { strict: true }.`);
}
