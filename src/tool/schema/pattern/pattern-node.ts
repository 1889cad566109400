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
  /** A lookahead. */
  | { readonly type: 'look'; readonly negated: boolean; readonly item: PatternNode };

/** A pattern that matches the empty text. */
export const EMPTY: PatternNode = { type: 'sequence', items: [] };

/** Joins patterns to one flat sequence. */
export function sequenceOf(items: readonly PatternNode[]): PatternNode {
  const flat = items.flatMap((item) => (item.type === 'sequence' ? item.items : [item]));
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { type: 'sequence', items: flat };
}

/** Creates the error for a valid pattern that cannot run in linear time. */
export function refusePattern(construct: string, advice = ''): SyntaxError {
  return new SyntaxError(`${construct} cannot be used: patterns run in linear time${advice}`);
}
