import { type CharSet, overlaps } from './char-set.ts';
import type { PatternNode } from './pattern-node.ts';

const MAX_POSITIONS = 100;
const MAX_UNANCHORED_LENGTH = 64;

/** A position in a pattern that reads a character, and the positions that can follow. */
interface Position {
  readonly set: () => CharSet;
  readonly follow: Position[];
}

interface Part {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  /** True when it can match the empty text. */
  readonly empty: boolean;
}

/**
 * Returns true when a backtracking engine is certain to run this pattern in linear time.
 *
 * That is the case when the next character always decides how to continue: every other way fails at once, and there is nothing to return
 * to. A pattern that may start anywhere must also match only short texts, because it is tried at every position. Returns false for
 * anything it cannot prove.
 */
export function isDeterministic(pattern: PatternNode): boolean {
  const items = pattern.type === 'sequence' ? pattern.items : [pattern];
  const anchored = items[0]?.type === 'start';
  const ends = items.at(-1)?.type === 'end';
  const body = items.slice(anchored ? 1 : 0, ends ? -1 : undefined);
  if (!anchored && lengthOf(ends ? body : withoutTail(body)) > MAX_UNANCHORED_LENGTH) return false;
  const survey = new Survey();
  const whole = survey.visitAll(body);
  return whole !== undefined && survey.link([{ set: () => [], follow: [] }], whole.first);
}

/** A repeat at the open end of a pattern matches with its minimum count. */
function withoutTail(items: readonly PatternNode[]): readonly PatternNode[] {
  const tail = items.at(-1);
  return tail?.type === 'repeat' ? [...items.slice(0, -1), { ...tail, max: tail.min }] : items;
}

function lengthOf(items: readonly PatternNode[]): number {
  return items.reduce((sum, item) => sum + longest(item), 0);
}

function longest(node: PatternNode): number {
  switch (node.type) {
    case 'set':
      return 1;
    case 'sequence':
      return lengthOf(node.items);
    case 'choice':
      return Math.max(...node.options.map(longest));
    case 'repeat':
      return node.max === 0 ? 0 : longest(node.item) * node.max;
    default:
      return 0;
  }
}

/** Walks a pattern and records which position can follow which. `undefined` and `false` mean not proven. */
class Survey {
  #positions = 0;

  visit(node: PatternNode): Part | undefined {
    switch (node.type) {
      case 'set': {
        if (++this.#positions > MAX_POSITIONS) return undefined;
        const position = { set: once(node.set), follow: [] };
        return { first: [position], last: [position], empty: false };
      }
      case 'sequence':
        return this.visitAll(node.items);
      case 'choice':
        return this.#visitOptions(node.options);
      case 'repeat':
        return this.#visitRepeat(node.item, node.min, node.max);
      default:
        return undefined;
    }
  }

  visitAll(items: readonly PatternNode[]): Part | undefined {
    let whole: Part = { first: [], last: [], empty: true };
    for (const item of items) {
      const part = this.visit(item);
      if (part === undefined || !this.link(whole.last, part.first)) return undefined;
      whole = {
        first: whole.empty ? [...whole.first, ...part.first] : whole.first,
        last: part.empty ? [...whole.last, ...part.last] : part.last,
        empty: whole.empty && part.empty,
      };
    }
    return whole;
  }

  #visitOptions(options: readonly PatternNode[]): Part | undefined {
    const parts = options.map((option) => this.visit(option)).filter((part) => part !== undefined);
    // Two empty options are two ways to continue.
    if (parts.length < options.length || parts.filter(({ empty }) => empty).length > 1) return undefined;
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      empty: parts.some(({ empty }) => empty),
    };
  }

  #visitRepeat(item: PatternNode, min: number, max: number): Part | undefined {
    const part = this.visit(item);
    if (part === undefined || part.empty) return undefined;
    // One character repeated an exact number of times leaves no choice; everything else counts as a loop.
    const fixed = max === 1 || (min === max && item.type === 'set');
    if (!fixed && !this.link(part.last, part.first)) return undefined;
    return { ...part, empty: min === 0 };
  }

  /** Lets positions follow others, unless a character would then lead to two of them. */
  link(from: readonly Position[], to: readonly Position[]): boolean {
    return from.every((position) =>
      to.every((next) => {
        if (position.follow.some((other) => other === next || overlaps(other.set(), next.set()))) return false;
        position.follow.push(next);
        return true;
      }),
    );
  }
}

function once<T>(work: () => T): () => T {
  let done: { readonly value: T } | undefined;
  return () => (done ??= { value: work() }).value;
}
