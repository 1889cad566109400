import { asNode, mapSubschemas, nodeMap, type SchemaNode, typeList } from '../../tool/parameters/schema-node.ts';
import { ROOT_PATH } from './rewrite-context.ts';
import type { SchemaLimits } from './schema-rules.ts';
import { Unportable } from './unportable.ts';

/** Throws `Unportable` if a rewritten schema is larger than the provider accepts. */
export function checkLimits(schema: SchemaNode, limits: SchemaLimits, provider: string): void {
  const totals = { properties: 0, levels: 0, enumValues: 0, characters: 0 };
  const fail = (rule: string, what: string, advice: string): never => {
    const message = `${what}. ${advice}${limits.otherwise === undefined ? '' : `, or ${limits.otherwise}`}.`;
    throw new Unportable(ROOT_PATH, rule, message);
  };
  const count = (node: SchemaNode, level: number): SchemaNode => {
    const types = typeList(node);
    const here = types.includes('object') || types.includes('array') ? level + 1 : level;
    const keys = Object.keys(nodeMap(node['properties']));
    const values: unknown[] = Array.isArray(node['enum']) ? node['enum'] : [];
    const characters = countCharacters(values);
    totals.properties += keys.length;
    totals.levels = Math.max(totals.levels, here);
    totals.enumValues += values.length;
    totals.characters += countCharacters([...keys, ...Object.keys(nodeMap(node['$defs']))]) + characters;
    const { longEnum } = limits;
    if (longEnum !== undefined && values.length > longEnum.values && characters > longEnum.characters) {
      const what = `A list of more than ${longEnum.values} values has more than ${longEnum.characters.toLocaleString('en')} characters in them`;
      fail('enum', what, 'Shorten the values');
    }
    return mapSubschemas(node, (inner, keyword) => count(asNode(inner), keyword === '$defs' ? 0 : here));
  };
  count(schema, 0);
  const check = (limit: keyof typeof totals, rule: string, [what, advice]: readonly [string, string]): void => {
    const most = limits[limit] ?? Infinity;
    if (totals[limit] <= most) return;
    fail(rule, `${totals[limit]} ${what}; ${provider} takes ${most.toLocaleString('en')}`, advice);
  };
  check('properties', 'properties', ['properties', 'Split the tool']);
  check('levels', 'nesting', ['levels of nesting', 'Flatten the arguments']);
  check('enumValues', 'enum', ['enum values', 'Use a plain string']);
  check('characters', 'schema size', ['characters of names and values', 'Split the tool']);
}

function countCharacters(values: readonly unknown[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value : JSON.stringify(value)).length,
    0,
  );
}
