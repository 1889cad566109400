import { isPlainObject } from '../../tool/json.ts';

/** A query that led to a successful call of a tool. */
export interface LearnedQuery {
  readonly tool: string;
  readonly query: string;
  /** The number of such calls. */
  readonly count: number;
  /** The time of the last one, in milliseconds since 1970. */
  readonly learnedAt: number;
}

/** The part of a board's store used here. */
export interface LearnedStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<boolean>;
  /** Least recently changed first. */
  entries(): Promise<readonly { readonly key: string; readonly value: unknown; readonly changedAt: number }[]>;
}

/** The space of learned queries in a board's store. */
export const LEARNED_SPACE = 'discovery.learned';

/** Reads the learned queries, newest last. Skips records that cannot be read. */
export async function readLearned(store: LearnedStore): Promise<LearnedQuery[]> {
  return (await store.entries()).flatMap(({ value, changedAt }): LearnedQuery[] => {
    const { tool, query, count } = isPlainObject(value) ? value : {};
    if (typeof tool !== 'string' || typeof query !== 'string') return [];
    return [{ tool, query, count: typeof count === 'number' ? count : 1, learnedAt: changedAt }];
  });
}

/** Deletes the learned queries of these tools, or all of them. Returns their number. */
export async function forgetLearned(store: LearnedStore, tools?: readonly string[]): Promise<number> {
  const all = await readLearned(store);
  let forgotten = 0;
  for (const { tool, query } of all)
    if ((tools === undefined || tools.includes(tool)) && (await store.delete(keyOf(tool, query)))) forgotten++;
  return forgotten;
}

/** Limits of the stored learned queries. */
export interface LearnedLimits {
  /** Queries kept for one tool. Default: 20. */
  readonly perTool?: number | undefined;
  /** Queries kept in total. Default: 5,000. */
  readonly most?: number | undefined;
}

/** Stores a query for a tool; deletes the oldest if there are too many. */
export async function keepLearned(
  store: LearnedStore,
  { tool, query }: Pick<LearnedQuery, 'tool' | 'query'>,
  { perTool = 20, most = 5_000 }: LearnedLimits = {},
): Promise<void> {
  const key = keyOf(tool, query);
  const before = await store.get(key);
  const count = isPlainObject(before) && typeof before['count'] === 'number' ? before['count'] : 0;
  await store.set(key, { tool, query, count: count + 1 });
  if (count > 0) return;
  const all = await readLearned(store);
  const own = all.filter((learned) => learned.tool === tool);
  const extra = [...own.slice(0, Math.max(0, own.length - perTool)), ...all.slice(0, Math.max(0, all.length - most))];
  for (const learned of extra) await store.delete(keyOf(learned.tool, learned.query));
}

function keyOf(tool: string, query: string): string {
  return `${tool}\n${query.toLowerCase()}`;
}
