import { messageOf } from '../../tool/texts/message-of.ts';
import type { Reranker } from '../../vectors/rerank/reranker.ts';
import type { Passage } from './merge-neighbours.ts';

/** Passages in the order that is given to the caller. */
export interface OrderedPassages {
  readonly passages: readonly Passage[];
  /** Why the model did not decide; `undefined` when nothing is wrong. */
  readonly notice: string | undefined;
  /** The place that a passage had before, from 1; empty when the model did not decide. */
  readonly before: ReadonlyMap<Passage, number>;
}

/** What passages are compared with. */
export interface RerankQuery {
  readonly query: string;
  readonly reranker: Reranker | undefined;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** Puts passages into the order of a model, if there is one and it answers in time; gives the best of them. */
export async function rerankPassages(found: readonly Passage[], asked: RerankQuery): Promise<OrderedPassages> {
  const { query, reranker, limit, signal } = asked;
  const plain = { passages: found.slice(0, limit), notice: undefined, before: new Map<Passage, number>() };
  if (reranker === undefined || found.length < 2) return plain;
  const texts = found.map(({ text }) => text);
  let scores: number[];
  try {
    scores = await reranker.rerank(query, texts, signal);
  } catch (error) {
    signal?.throwIfAborted();
    return { ...plain, notice: `The reranker ${reranker.id} did not decide the order: ${messageOf(error)}` };
  }
  const before = new Map<Passage, number>();
  const scored = found.map((passage, place) => {
    const again = { ...passage, score: scores[place] ?? 0 };
    before.set(again, place + 1);
    return again;
  });
  // Equal scores stay in the order of the search.
  return { passages: scored.toSorted((a, b) => b.score - a.score).slice(0, limit), notice: undefined, before };
}
