import { isPlainObject } from '../json.ts';
import { isImpossible, mergeNodes, uniteVariants } from './merge-nodes.ts';
import {
  asNode,
  keyCount,
  nodeList,
  referenceOf,
  type SchemaNode,
  stringList,
  typeList,
  without,
} from './schema-node.ts';

const MAX_HOPS = 32;
const MAX_STEPS = 2000;
const MAX_VARIANTS = 32;
const COMPOSITION = ['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf'];
const CONDITION = ['if', 'then', 'else'];

/** Options for expanding a schema, with callbacks for what is left out. */
export interface VariantReader {
  /** Resolves a reference; `undefined` when it leads nowhere. */
  find(reference: string): SchemaNode | undefined;
  /** Reads `if`, `then` and `else` as two variants; otherwise they stay unchanged. */
  readonly conditions?: boolean;
  /** Called when two parts that both apply disagree on a keyword. The first is kept. */
  onLost?(keyword: string): void;
  onDropped?(keyword: string): void;
  onAlternatives?(keyword: string, count: number): void;
  onNoObject?(keyword: string): void;
  /** Called when the schema refers to itself without defining anything. */
  onEndless?(): void;
}

interface Expansion {
  readonly reader: VariantReader;
  readonly hops: number;
  readonly open: readonly string[];
  /** Steps left before the schema counts as endless. */
  readonly budget: { left: number };
}

/**
 * Expands a schema to plain object schemas, one of which applies: follows references, merges `allOf`, and splits `anyOf` and `oneOf` into
 * variants. Returns at most 32; further ones are united. Schemas under `properties` stay unchanged.
 */
export function expandVariants(root: SchemaNode, reader: VariantReader): SchemaNode[] {
  const keywords = reader.conditions === true ? [...COMPOSITION, 'if'] : COMPOSITION;
  // Most schemas are one plain object.
  if (!keywords.some((keyword) => keyword in root)) return [root];
  const variants = expand(root, { reader, hops: 0, open: ['#'], budget: { left: MAX_STEPS } });
  return variants.map(onlyObject);
}

function expand(node: SchemaNode, expansion: Expansion): SchemaNode[] {
  const { reader, open, budget } = expansion;
  budget.left -= 1 + keyCount(node) / 100;
  if (expansion.hops > MAX_HOPS || budget.left < 0) {
    reader.onEndless?.();
    return [{}];
  }
  const inner = { ...expansion, hops: expansion.hops + 1 };
  const groups = nodeList(node['allOf']).map((part) => expand(part, inner));
  const reference = referenceOf(node);
  if (reference !== undefined) {
    if (open.includes(reference)) reader.onEndless?.();
    else {
      const target = without(reader.find(reference) ?? {}, '$defs');
      groups.push(expand(target, { ...inner, open: [...open, reference] }));
    }
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = nodeList(node[keyword]);
    if (branches.length > 0) groups.push(expandAlternatives(keyword, branches, inner));
  }
  if (reader.conditions === true && 'if' in node) groups.push(expandCondition(node, inner));
  const base = without(node, ...COMPOSITION, ...(reader.conditions === true ? CONDITION : []));
  return groups.reduce<SchemaNode[]>((variants, group) => combine(variants, group, reader), [base]);
}

/** Expands the alternatives that are objects; others cannot be arguments. */
function expandAlternatives(keyword: string, branches: readonly SchemaNode[], expansion: Expansion): SchemaNode[] {
  const { reader } = expansion;
  const objects: SchemaNode[] = [];
  let count = 0;
  for (const branch of branches) {
    const found = expand(branch, expansion).filter((variant) => !isImpossible(variant));
    const fitting = found.filter(mayBeObject);
    if (fitting.length < found.length) reader.onDropped?.(keyword);
    if (fitting.length > 0) count++;
    objects.push(...fitting);
  }
  if (count === 0) reader.onNoObject?.(keyword);
  else if (count > 1) reader.onAlternatives?.(keyword, count);
  return objects.length > MAX_VARIANTS
    ? [...objects.slice(0, MAX_VARIANTS - 1), uniteVariants(objects.slice(MAX_VARIANTS - 1))]
    : objects;
}

/** Expands a condition to one variant where it is met and one where it is not. */
function expandCondition(node: SchemaNode, expansion: Expansion): SchemaNode[] {
  const [condition = {}, met = {}, unmet = {}] = nodeList([node['if'], node['then'] ?? {}, node['else'] ?? {}]);
  return [
    ...expand({ allOf: [condition, met] }, expansion),
    ...expand({ allOf: [unmet, { not: condition }] }, expansion),
  ];
}

/** Combines every variant of one part with every variant of another, except for contradictions. */
function combine(left: readonly SchemaNode[], right: readonly SchemaNode[], reader: VariantReader): SchemaNode[] {
  const few = left.length * right.length <= MAX_VARIANTS;
  const others = few || right.length <= 1 ? right : [uniteVariants(right)];
  const merged = left.flatMap((one) =>
    others.map((other) => mergeNodes([one, other], (keyword) => reader.onLost?.(keyword))),
  );
  const possible = merged.map(settleFixed).filter((variant) => !isImpossible(variant));
  return possible.length > 0 ? possible : merged.slice(0, 1);
}

/** Merges the descriptions of parameters with fixed values. Returns an impossible schema when one must have two values at once. */
function settleFixed(variant: SchemaNode): SchemaNode {
  const { properties } = variant;
  if (!isPlainObject(properties)) return variant;
  const required = stringList(variant['required']);
  let settled: SchemaNode | undefined;
  for (const [name, property] of Object.entries(properties)) {
    const parts = partsOf(asNode(property));
    if (parts.length < 2 || !parts.some((part) => 'enum' in part || 'const' in part)) continue;
    let isWhole = !parts.some((part) => COMPOSITION.some((keyword) => keyword in part));
    const one = mergeNodes(parts, () => (isWhole = false));
    if (!isWhole) continue;
    if (isImpossible(one) && required.includes(name)) return one;
    settled = { ...(settled ?? properties), [name]: one };
  }
  return settled === undefined ? variant : { ...variant, properties: settled };
}

function partsOf(node: SchemaNode): SchemaNode[] {
  return 'allOf' in node ? [without(node, 'allOf'), ...nodeList(node['allOf']).flatMap(partsOf)] : [node];
}

function mayBeObject(variant: SchemaNode): boolean {
  const types = typeList(variant);
  return types.length === 0 || types.includes('object');
}

function onlyObject(variant: SchemaNode): SchemaNode {
  return Array.isArray(variant['type']) && mayBeObject(variant) ? { ...variant, type: 'object' } : variant;
}
