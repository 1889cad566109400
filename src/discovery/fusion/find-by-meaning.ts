import { setTimeout } from 'node:timers/promises';
import { type RankedBoard, type Ranker, rankTools } from '../rank-tools.ts';
import type { RankedResult } from '../ranked-result.ts';
import type { FindOptions } from '../search-options.ts';
import { fuseFindings } from './fuse-findings.ts';
import type { Closeness } from './closeness.ts';
import type { ToolVectors } from './tool-vectors.ts';

const WAIT = 10_000;
/** Characters of a query that are embedded. */
const LONGEST_QUERY = 2_000;

/** What is searched: tools with their words, and their vectors. */
interface MeaningBoard {
  /** Asked for after the vectors are there, for tools may come and go meanwhile. */
  readonly board: () => RankedBoard;
  readonly vectors: ToolVectors;
}

/** Ranks by words and meanings; by words alone, with a note, when vectors cannot be had. */
export async function findByMeaning(
  query: string,
  options: FindOptions,
  { board, vectors }: MeaningBoard,
): Promise<RankedResult> {
  const { wait = WAIT, signal } = options;
  const embedded = vectors.embedQuery(query.slice(0, LONGEST_QUERY), signal);
  await waitFor(Promise.all([vectors.prepare(), embedded]), { wait, signal });
  const isReady = vectors.missing === 0 && vectors.failure === undefined;
  const vector = isReady ? await embedded : undefined;
  const closeness = vector === undefined ? undefined : vectors.compare(vector);
  const words = board();
  if (closeness !== undefined) return rankTools(query, options, withMeaning(words, closeness)).toResult();
  const result = rankTools(query, options, words).toResult();
  if (words.size === 0) return result;
  return { ...result, note: [result.note, explain(vectors)].filter((text) => text !== undefined).join(' ') };
}

function withMeaning(board: RankedBoard, closeness: Closeness): RankedBoard {
  const ranker = board.ranker();
  const fused: Ranker = {
    reading: ranker.reading,
    find: (query, options) => fuseFindings(ranker.find(query, options), closeness, options),
  };
  return { ...board, ranker: () => fused };
}

function explain({ failure, missing }: ToolVectors): string {
  if (failure !== undefined) return `Ranked by words alone, for the embedder failed: ${failure}`;
  return `Ranked by words alone: the vectors of ${missing} tools are still being computed.`;
}

/** Waits for work, but not longer than asked. The work goes on. */
async function waitFor(
  work: Promise<unknown>,
  { wait, signal }: { readonly wait: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const stop = new AbortController();
  const signals = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  try {
    await Promise.race([
      work,
      wait === Infinity ? new Promise(() => {}) : setTimeout(wait, undefined, { signal: signals }),
    ]);
  } finally {
    stop.abort();
  }
}
