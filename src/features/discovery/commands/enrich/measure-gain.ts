import type { Board } from '../../../../board/board.ts';
import { type EvalQuery, evaluate, evaluateUtterances } from '../../../../discovery/eval/evaluate.ts';
import { averageMeasures, type Measures } from '../../../../discovery/eval/measures.ts';
import { ToolIndex } from '../../../../discovery/tool-index.ts';

type QueriesByTool = ReadonlyMap<string, readonly string[]>;

/** Search quality before and after the new queries. */
export interface Gain {
  /** The queries that were measured. */
  readonly asked: string;
  readonly queries: number;
  readonly before: Measures;
  readonly after: Measures;
  /** True for queries written by people: those of a model are biased. */
  readonly isOwn: boolean;
}

interface GainParts {
  readonly board: Pick<Board, 'registry' | 'files'>;
  readonly before: QueriesByTool;
  readonly after: QueriesByTool;
  /** The person's queries with the expected tools. */
  readonly own: readonly EvalQuery[];
  readonly signal: AbortSignal;
}

const FOLDS = 2;

/**
 * Measures the gain of new queries in searches by words: on the person's queries, on the utterances of the tools, and on the new
 * queries themselves, where each half is searched in an index of the other half.
 */
export async function measureGain({ board, before, after, own, signal }: GainParts): Promise<Gain[]> {
  const gains: Gain[] = [];
  if (own.length > 0) {
    const measure = async (queries: QueriesByTool): Promise<Measures> =>
      (await ask(own, queries, { board, signal })).measures;
    gains.push({
      asked: 'your queries',
      queries: own.length,
      before: await measure(before),
      after: await measure(after),
      isOwn: true,
    });
  }
  const spoken = await evaluateUtterances(board, { signal, queriesOf: toLookUp(before) });
  if (spoken.queries > 0) {
    const { measures } = await evaluateUtterances(board, { signal, queriesOf: toLookUp(after) });
    const { queries, measures: first } = spoken;
    gains.push({ asked: 'utterances of the board', queries, before: first, after: measures, isOwn: true });
  }
  const halves = await measureHalves({ board, before, after, signal });
  return halves === undefined ? gains : [...gains, halves];
}

async function measureHalves({ board, before, after, signal }: Omit<GainParts, 'own'>): Promise<Gain | undefined> {
  const isNew = (name: string, query: string): boolean => before.get(name)?.includes(query) !== true;
  const parts: { readonly queries: number; readonly before: Measures; readonly after: Measures }[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const asked: EvalQuery[] = [];
    const known = new Map<string, readonly string[]>();
    for (const [name, queries] of after) {
      const isAsked = (query: string, place: number): boolean => place % FOLDS === fold && isNew(name, query);
      known.set(
        name,
        queries.filter((query, place) => !isAsked(query, place)),
      );
      asked.push(...queries.filter(isAsked).map((query) => ({ query, expected: [name] })));
    }
    if (asked.length === 0) continue;
    const first = await ask(asked, before, { board, signal });
    const second = await ask(asked, known, { board, signal });
    parts.push({ queries: asked.length, before: first.measures, after: second.measures });
  }
  const total = parts.reduce((sum, { queries }) => sum + queries, 0);
  if (total === 0) return undefined;
  const weights = parts.map(({ queries }) => queries);
  const average = (pick: (part: (typeof parts)[number]) => Measures): Measures =>
    averageMeasures(parts.map(pick), weights);
  return {
    asked: 'the new queries, each half measured with the other',
    queries: total,
    before: average((part) => part.before),
    after: average((part) => part.after),
    isOwn: false,
  };
}

async function ask(
  asked: readonly EvalQuery[],
  queries: QueriesByTool,
  { board, signal }: Pick<GainParts, 'board' | 'signal'>,
): Promise<{ readonly measures: Measures }> {
  const index = ToolIndex.from({ registry: board.registry, files: board.files }, { queriesOf: toLookUp(queries) });
  try {
    return await evaluate(index, asked, { signal });
  } finally {
    index.close();
  }
}

function toLookUp(queries: QueriesByTool): (name: string) => readonly string[] {
  return (name) => queries.get(name) ?? [];
}
