import type { SubsetContext, Place, Rewritten } from './subset-context.ts';
import { constraintText, withRemark } from './constraint-text.ts';
import type { SchemaNode } from '../../../tool/parameters/schema-node.ts';

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: [...NUMBERS, 'format'],
  integer: [...NUMBERS, 'format'],
  array: ['minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'],
  object: [
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'propertyNames',
    'unevaluatedProperties',
  ],
};
const LOGIC = ['not', 'if', 'then', 'else'];

/** Returns the keywords that the target accepts, and a description that states the others. */
export function carriedKeywords(
  start: SchemaNode,
  type: string,
  at: { place: Place; context: SubsetContext },
): SchemaNode {
  const { place, context } = at;
  const node = type === 'integer' ? inclusiveBounds(start, context) : start;
  const present = [...(BY_TYPE[type] ?? []), ...LOGIC].filter((keyword) => node[keyword] !== undefined);
  const carried = present.filter((keyword) => carries(keyword, { value: node[keyword], type, context }));
  const missing = present.filter((keyword) => !carried.includes(keyword) && !isIdle(keyword, node[keyword]));
  for (const keyword of missing) {
    const message = `${context.provider} has no "${keyword}" here; the description says it, and calls are still checked.`;
    context.report({ path: place.path, rule: keyword, action: 'dropped', message });
  }
  // A format is easier to understand than its pattern.
  const listed = missing.filter((keyword) => keyword !== 'pattern' || node['format'] === undefined);
  const words = constraintText(node, [...listed, 'default', 'examples']);
  const description = withRemark(node['description'] ?? node['title'], words);
  return {
    ...(description === '' ? {} : { description }),
    ...Object.fromEntries(carried.map((keyword) => [keyword, node[keyword]])),
  };
}

/** Rewrites a string, number, integer or boolean. */
export function subsetScalar(node: SchemaNode, type: string, at: { place: Place; context: SubsetContext }): Rewritten {
  return { schema: { type, ...carriedKeywords(node, type, at) }, nullable: false, undo: undefined };
}

function carries(
  keyword: string,
  at: { readonly value: unknown; readonly type: string; readonly context: SubsetContext },
): boolean {
  const { rules } = at.context;
  if (keyword === 'format') return typeof at.value === 'string' && rules.formats.includes(`${at.type}:${at.value}`);
  if (!rules.keywords.includes(keyword)) return false;
  return keyword === 'pattern' ? isPlainPattern(at.value) : typeof at.value === 'number' && Number.isFinite(at.value);
}

/** True for keywords that say nothing, or that hold for all of the target's objects and arrays. */
function isIdle(keyword: string, value: unknown): boolean {
  return value === false && ['uniqueItems', 'unevaluatedProperties', 'unevaluatedItems'].includes(keyword);
}

/** Providers compile patterns without look-around or back references. */
function isPlainPattern(value: unknown): boolean {
  if (typeof value !== 'string' || /\(\?(?:[=!]|<[=!])|\\[1-9]|\\k</.test(value)) return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function inclusiveBounds(node: SchemaNode, { rules }: SubsetContext): SchemaNode {
  const { exclusiveMinimum: low, exclusiveMaximum: high, ...rest } = node;
  if (rules.keywords.includes('exclusiveMinimum')) return node;
  const bounded: SchemaNode = rest;
  if (typeof low === 'number') bounded['minimum'] = Math.max(Math.floor(low) + 1, numberOr(rest['minimum'], -Infinity));
  if (typeof high === 'number') bounded['maximum'] = Math.min(Math.ceil(high) - 1, numberOr(rest['maximum'], Infinity));
  return bounded;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
