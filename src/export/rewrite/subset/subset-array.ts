import { type SubsetContext, NEVER, type Place, renderNull, type Rewritten } from './subset-context.ts';
import { carriedKeywords } from './subset-scalar.ts';
import { subsetUnion } from './subset-union.ts';
import { withRemark } from './constraint-text.ts';
import { asNode, nodeList, type SchemaNode, typeList } from '../../../tool/parameters/schema-node.ts';
import { Unportable } from '../unportable.ts';

/** Rewrites an array: all items alike, or a tuple as "one of these" with the order in the description. */
export function subsetArray(node: SchemaNode, place: Place, context: SubsetContext): Rewritten {
  const { rules } = context;
  const inner = { ...place, path: `${place.path}[]`, depth: place.depth + 1 };
  const prefix = nodeList(node['prefixItems']).map((item) => context.visit(item, inner));
  const keywords = carriedKeywords(node, 'array', { place, context });
  if (prefix.length === 0) {
    const item = visitItems(asNode(node['items']), inner, context);
    if (item === undefined)
      return {
        schema: { type: 'array', ...keywords, items: { type: 'string' }, maxItems: 0 },
        nullable: false,
        undo: undefined,
      };
    const undo = item.undo && ({ kind: 'array', prefix: [], items: item.undo } as const);
    return { schema: { type: 'array', ...keywords, items: renderNull(item, rules) }, nullable: false, undo };
  }
  const rest = node['items'] === undefined ? undefined : visitItems(asNode(node['items']), inner, context);
  const union = subsetUnion(rest === undefined ? prefix : [...prefix, rest], { description: '', rules });
  const order = nodeList(node['prefixItems']).map(summary).join(', ');
  const message = `${context.provider} has no tuples; every item may be one of ${prefix.length} kinds, the description gives the order, and calls are still checked.`;
  context.report({ path: place.path, rule: 'prefixItems', action: 'rewritten', message });
  const undoable = [...prefix, rest].some((item) => item?.undo !== undefined);
  return {
    schema: {
      type: 'array',
      ...keywords,
      description: withRemark(keywords['description'], `in this order: ${order}`),
      items: renderNull(union, rules),
      ...(rest === undefined && node['items'] !== undefined && rules.keywords.includes('maxItems')
        ? { maxItems: Math.min(prefix.length, typeof node['maxItems'] === 'number' ? node['maxItems'] : Infinity) }
        : {}),
    },
    nullable: false,
    undo: undoable ? { kind: 'array', prefix: prefix.map((item) => item.undo), items: rest?.undo } : undefined,
  };
}

function visitItems(items: SchemaNode, place: Place, context: SubsetContext): Rewritten | undefined {
  try {
    return context.visit(items, place);
  } catch (error) {
    if (error instanceof Unportable && error.rule === NEVER && error.path === place.path) return undefined;
    throw error;
  }
}

function summary(item: SchemaNode): string {
  const text = item['description'] ?? item['title'];
  const type =
    typeList(item).join(' or ') || (Array.isArray(item['enum']) ? item['enum'].map(String).join(' | ') : 'value');
  return typeof text === 'string' ? `${type} ${text}` : type;
}
