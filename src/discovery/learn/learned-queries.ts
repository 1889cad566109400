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
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): boolean;
  /** The longest unchanged first. */
  entries(): readonly { readonly key: string; readonly value: unknown; readonly changedAt: number }[];
}

/** The space of a board's store in which it keeps what it learned. */
export const LEARNED_SPACE = 'discovery.learned';

/** What was learned, the newest last. Records that cannot be read are left out. */
export function readLearned(store: LearnedStore): LearnedQuery[] {
  return store.entries().flatMap(({ value, changedAt }): LearnedQuery[] => {
    const { tool, query, count } = isPlainObject(value) ? value : {};
    if (typeof tool !== 'string' || typeof query !== 'string') return [];
    return [{ tool, query, count: typeof count === 'number' ? count : 1, learnedAt: changedAt }];
  });
}

/** Forgets what was learned for these tools, or everything; gives the number of queries. */
export function forgetLearned(store: LearnedStore, tools?: readonly string[]): number {
  const wanted = readLearned(store).filter(({ tool }) => tools === undefined || tools.includes(tool));
  return wanted.filter(({ tool, query }) => store.delete(keyOf(tool, query))).length;
}

/** How much is kept. */
export interface LearnedLimits {
  /** Queries kept for one tool. Default: 20. */
  readonly perTool?: number | undefined;
  /** Queries kept in all. Default: 5,000. */
  readonly most?: number | undefined;
}

/** Keeps a query for a tool; the oldest go when there are too many. Gives whether it is new. */
export function keepLearned(
  store: LearnedStore,
  { tool, query }: Pick<LearnedQuery, 'tool' | 'query'>,
  { perTool = 20, most = 5_000 }: LearnedLimits = {},
): boolean {
  const key = keyOf(tool, query);
  const before = store.get(key);
  const count = isPlainObject(before) && typeof before['count'] === 'number' ? before['count'] : 0;
  store.set(key, { tool, query, count: count + 1 });
  if (count > 0) return false;
  const all = readLearned(store);
  const own = all.filter((learned) => learned.tool === tool);
  const extra = [...own.slice(0, Math.max(0, own.length - perTool)), ...all.slice(0, Math.max(0, all.length - most))];
  for (const learned of extra) store.delete(keyOf(learned.tool, learned.query));
  return true;
}

function keyOf(tool: string, query: string): string {
  return `${tool}\n${query.toLowerCase()}`;
}
