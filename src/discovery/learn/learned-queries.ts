import { isPlainObject } from '../../tool/json.ts';

/** A query that led to a successful call of a tool. */
export interface LearnedQuery {
  readonly tool: string;
  readonly query: string;
  /** How often it did. */
  readonly count: number;
  /** When it last did, in milliseconds since 1970. */
  readonly learnedAt: number;
}

/** The part of a board's store that is needed here. */
export interface LearnedStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<boolean>;
  /** The longest unchanged first. */
  entries(): Promise<readonly { readonly key: string; readonly value: unknown; readonly changedAt: number }[]>;
}

/** The space of a board's store in which it keeps what it learned. */
export const LEARNED_SPACE = 'discovery.learned';

/** What was learned, the newest last. Records that cannot be read are left out. */
export async function readLearned(store: LearnedStore): Promise<LearnedQuery[]> {
  return (await store.entries()).flatMap(({ value, changedAt }): LearnedQuery[] => {
    const { tool, query, count } = isPlainObject(value) ? value : {};
    if (typeof tool !== 'string' || typeof query !== 'string') return [];
    return [{ tool, query, count: typeof count === 'number' ? count : 1, learnedAt: changedAt }];
  });
}

/** Forgets what was learned for these tools, or everything; gives the number of queries. */
export async function forgetLearned(store: LearnedStore, tools?: readonly string[]): Promise<number> {
  const all = await readLearned(store);
  let forgotten = 0;
  for (const { tool, query } of all)
    if ((tools === undefined || tools.includes(tool)) && (await store.delete(keyOf(tool, query)))) forgotten++;
  return forgotten;
}

/** How much is kept. */
export interface LearnedLimits {
  /** Queries kept for one tool. Default: 20. */
  readonly perTool?: number | undefined;
  /** Queries kept in all. Default: 5,000. */
  readonly most?: number | undefined;
}

/** Keeps a query for a tool; the oldest go when there are too many. */
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
