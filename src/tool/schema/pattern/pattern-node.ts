import type { CharSet } from './char-set.ts';

/** A pattern as a tree. Groups do not appear, because captures are never read. */
export type PatternNode =
  /** One character. The set is computed on demand. */
  | { readonly type: 'set'; readonly set: () => CharSet }
  | { readonly type: 'start' | 'end' }
  | { readonly type: 'boundary'; readonly negated: boolean }
  | { readonly type: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number }
  | { readonly type: 'look'; readonly negated: boolean; readonly item: PatternNode };

/** A pattern that matches the empty text. */
export const EMPTY: PatternNode = { type: 'sequence', items: [] };

export function sequenceOf(items: readonly PatternNode[]): PatternNode {
  const flat = items.flatMap((item) => (item.type === 'sequence' ? item.items : [item]));
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { type: 'sequence', items: flat };
}

/** Creates the error for a valid pattern that cannot run in linear time. */
export function refusePattern(construct: string, advice = ''): SyntaxError {
  return new SyntaxError(`${construct} cannot be used: patterns run in linear time${advice}`);
}

/** A test that a text must pass, or must fail if it is negated. */
export interface PatternPart {
  readonly node: PatternNode;
  readonly negated: boolean;
}

/**
 * Splits a pattern into tests without lookaheads: one for the pattern and one for each lookahead right after its `^`.
 *
 * All start at the same position, so a text matches if it passes them all. Throws for lookaheads elsewhere.
 */
export function splitLooks(tree: PatternNode): readonly [PatternPart, ...PatternPart[]] {
  const items = [...(tree.type === 'sequence' ? tree.items : [tree])];
  while (items[0]?.type === 'start' && items[1]?.type === 'start') items.shift();
  while (items.at(-1)?.type === 'end' && items.at(-2)?.type === 'end') items.pop();
  const looks: PatternPart[] = [];
  for (let item = items[1]; items[0]?.type === 'start' && item?.type === 'look'; item = items[1]) {
    looks.push({ node: sequenceOf([{ type: 'start' }, item.item]), negated: item.negated });
    items.splice(1, 1);
  }
  const parts: [PatternPart, ...PatternPart[]] = [{ node: sequenceOf(items), negated: false }, ...looks];
  for (const { node } of parts) refuseLooks(node);
  return parts;
}

function refuseLooks(node: PatternNode): void {
  switch (node.type) {
    case 'look':
      throw refusePattern(
        `the lookahead "(?${node.negated ? '!' : '='}"`,
        ', so that a lookahead can only be at the start, right after "^"',
      );
    case 'repeat':
      return refuseLooks(node.item);
    case 'sequence':
      return node.items.forEach(refuseLooks);
    case 'choice':
      return node.options.forEach(refuseLooks);
    default:
  }
}
