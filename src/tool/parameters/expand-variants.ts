import { isPlainObject } from '../json.ts';
import { isImpossible, mergeNodes } from './merge-nodes.ts';
import { referenceOf } from './resolve-reference.ts';
import { asNode, keyCount, nodeList, type SchemaNode, stringList, typeList, without } from './schema-node.ts';
import { uniteVariants } from './unite-variants.ts';

const MAX_HOPS = 32;
const MAX_STEPS = 2000;
const MAX_VARIANTS = 32;
const COMPOSITION = ['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf'];
const CONDITION = ['if', 'then', 'else'];

/** How a schema is read, and who hears of what had to be left out. */
export interface VariantReader {
  /** What a reference means; `undefined` when it leads nowhere. */
  find(reference: string): SchemaNode | undefined;
  /** Whether `if`, `then` and `else` are read as two variants; they stay as they are otherwise. */
  readonly conditions?: boolean;
  /** Two parts that both hold disagree on a keyword; the first was kept. */
  onLost?(keyword: string): void;
  /** An alternative of this keyword is no object. */
  onDropped?(keyword: string): void;
  /** Several alternatives of this keyword are objects. */
  onAlternatives?(keyword: string, count: number): void;
  /** No alternative of this keyword is an object. */
  onNoObject?(keyword: string): void;
  /** The schema refers to itself before it says anything. */
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
 * The plain object schemas of which one is meant: references are followed, `allOf` is merged, each alternative of `anyOf`
 * and `oneOf` is one of its own. At most 32: further ones are united. What stands under `properties` stays as it is.
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

/** The alternatives that are objects; what is no object cannot be arguments. */
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

/** What holds when the condition is met, and what holds when it is not. */
function expandCondition(node: SchemaNode, expansion: Expansion): SchemaNode[] {
  const [condition = {}, met = {}, unmet = {}] = nodeList([node['if'], node['then'] ?? {}, node['else'] ?? {}]);
  return [
    ...expand({ allOf: [condition, met] }, expansion),
    ...expand({ allOf: [unmet, { not: condition }] }, expansion),
  ];
}

/** Every variant of one part with every variant of another, but for those that contradict each other. */
function combine(left: readonly SchemaNode[], right: readonly SchemaNode[], reader: VariantReader): SchemaNode[] {
  const few = left.length * right.length <= MAX_VARIANTS;
  const others = few || right.length <= 1 ? right : [uniteVariants(right)];
  const merged = left.flatMap((one) =>
    others.map((other) => mergeNodes([one, other], (keyword) => reader.onLost?.(keyword))),
  );
  const possible = merged.map(settleFixed).filter((variant) => !isImpossible(variant));
  return possible.length > 0 ? possible : merged.slice(0, 1);
}

/** A variant whose parameters with fixed values are described once; impossible where one must have two values at once. */
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
