import { messageOf } from '../../tool/texts/message-of.ts';
import type { Reranker } from '../../vectors/rerank/reranker.ts';
import type { Passage } from './merge-neighbours.ts';

/** The passages of an answer in their order. */
export interface OrderedPassages {
  readonly passages: readonly Passage[];
  /** The reason that the model was not used; `undefined` if nothing is wrong. */
  readonly notice: string | undefined;
  /** The earlier rank of each passage, counted from 1; empty if the model was not used. */
  readonly before: ReadonlyMap<Passage, number>;
}

/** The query and settings of a reranking. */
export interface RerankQuery {
  readonly query: string;
  readonly reranker: Reranker | undefined;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** Orders passages by a model's scores, if there is one and it answers in time. Returns the best of them. */
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
  // Equal scores keep their order.
  return { passages: scored.toSorted((a, b) => b.score - a.score).slice(0, limit), notice: undefined, before };
}
