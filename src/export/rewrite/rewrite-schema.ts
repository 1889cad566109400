import {
  nodeList,
  type SchemaNode,
  typeList,
  asNode,
  mapSubschemas,
  nodeMap,
} from '../../tool/parameters/schema-node.ts';
import { cleanKeywords, copySchema, modernSchema } from './modern-schema.ts';
import { type FlatRoot, flattenRoot } from './flatten-root.ts';
import {
  createRefResolver,
  type ReportChange,
  type RewriteContext,
  type RewrittenArguments,
  ROOT_PATH,
  Unportable,
} from './rewrite-context.ts';
import { rewriteJsonSchema } from './rewrite-json-schema.ts';
import type { JsonSchemaRules, SchemaRules, UnchangedRules, SchemaLimits } from './schema-rules.ts';
import { rewriteSubset } from './subset/rewrite-subset.ts';

/** A schema for a provider, the conversions of arguments, and sentences for the tool's description. */
export interface RewrittenSchema extends RewrittenArguments {
  readonly remarks: readonly string[];
}

/** The provider that a schema is rewritten for, and the receiver of its changes. */
export interface RewriteTarget {
  readonly provider: string;
  readonly report: ReportChange;
}

/**
 * Rewrites a tool's schema by a provider's rules; throws `Unportable` if they allow no version of it. Never changes the tool's own schema.
 */
export function rewriteSchema(schema: unknown, rules: SchemaRules, target: RewriteTarget): RewrittenSchema {
  const provider = rules.provider ?? target.provider;
  const rewritten = rewriteByRules(copySchema(schema), rules, { provider, report: target.report });
  if (rules.limits !== undefined) checkLimits(rewritten.schema, rules.limits, provider);
  return rewritten;
}

function rewriteByRules(copy: SchemaNode, rules: SchemaRules, target: RewriteTarget): RewrittenSchema {
  if (rules.accepts === 'anything') {
    const { node, remarks } = shapeRoot(copy, rules, { resolve: createRefResolver(copy), ...target });
    const schema = '$defs' in copy ? { ...node, $defs: copy['$defs'] } : node;
    return { schema, remarks, restore: (input) => input, translate: (input) => input };
  }
  const root = cleanKeywords(modernSchema(copy), target.report);
  const context = { resolve: createRefResolver(root), ...target };
  if (rules.accepts === 'subset') {
    const { node, remarks } = flattenRoot(root, context);
    return { ...rewriteSubset(node, rules, context), remarks };
  }
  const { node, remarks } = shapeRoot(root, rules, context);
  return { ...rewriteReferences(node, rules, context), remarks };
}

/** Makes `type: object` the top level: unchanged if the rules allow that, otherwise one plain object. */
function shapeRoot(root: SchemaNode, rules: UnchangedRules | JsonSchemaRules, context: RewriteContext): FlatRoot {
  if (rules.root !== 'alternatives') return flattenRoot(root, context);
  if (root['type'] === 'object') return { node: root, remarks: [] };
  const branches = [...nodeList(root['anyOf']), ...nodeList(root['oneOf']), ...nodeList(root['allOf'])];
  const isObject =
    typeList(root).length === 0 && !('$ref' in root) && branches.every((branch) => branch['type'] === 'object');
  return isObject ? { node: { type: 'object', ...root }, remarks: [] } : flattenRoot(root, context);
}

function rewriteReferences(node: SchemaNode, rules: JsonSchemaRules, context: RewriteContext): RewrittenArguments {
  const { refs = 'keep', keys } = rules;
  if (refs !== 'inline-if-small') return rewriteJsonSchema(node, { refs, keys }, context);
  const changes: Parameters<ReportChange>[0][] = [];
  try {
    const report: ReportChange = (change) => changes.push(change);
    const written = rewriteJsonSchema(node, { refs: 'inline', keys }, { ...context, report });
    changes.forEach(context.report);
    return written;
  } catch (error) {
    if (!(error instanceof Unportable) || error.rule !== 'schema size') throw error;
    return rewriteJsonSchema(node, { refs: 'keep', keys }, context);
  }
}

/** Throws `Unportable` if a rewritten schema is larger than the provider accepts. */
function checkLimits(schema: SchemaNode, limits: SchemaLimits, provider: string): void {
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
