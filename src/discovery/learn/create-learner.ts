import { isPlainObject } from '../../tool/json.ts';
import type { ToolIndex } from '../tool-index.ts';

const LONGEST = 200;
const MASK = /\[redacted\]/gi;

/** Options of `createLearner`. */
export interface LearnerOptions {
  /** The store for learned queries: the board's store, in its space `LEARNED_SPACE`. */
  readonly store: LearnedStore;
  /** The index whose ranking learns. */
  readonly index: Pick<ToolIndex, 'learn' | 'forget'>;
  /** Removes secrets from a query. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Limits of the stored queries. */
  readonly limits?: LearnedLimits | undefined;
  /** The clock, in milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Called after a query was stored. */
  readonly onKept?: (() => Promise<void>) | undefined;
}

/** A finished call, as a learner sees it. */
export interface LearnedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly ok: boolean;
  readonly data: unknown;
  /** The caller: a call counts only for searches of the same caller. */
  readonly session: string;
}

/** Learns which queries lead to which calls. */
export interface Learner {
  /** Records a call. A search is remembered for a while; a successful call is linked to the search that found the tool. */
  notice(call: LearnedCall): void;
  /** Updates the index from the store, because other processes learn and forget too. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves once all recorded calls are stored or have failed. */
  settled(): Promise<void>;
}

const SEARCHES: ReadonlySet<string> = new Set(['search_tools', 'climax_search']);
/** The time after a search in which a call counts as its result. */
const WINDOW = 10 * 60_000;
const MOST_SESSIONS = 1_000;
const MOST_SEARCHES = 20;

/** A query and the tools it found. */
interface Search {
  readonly query: string;
  readonly found: ReadonlySet<string>;
  readonly at: number;
}

/**
 * Creates a learner, and starts to teach the index what was learned before.
 *
 * Learning is optional: a store that cannot be read or written fails no search and no call.
 */
export function createLearner(options: LearnerOptions): Learner {
  const { store, index, limits, redact = (text) => text, now = Date.now, onKept } = options;
  const sessions = new Map<string, Search[]>();
  const taught = new Map<string, Set<string>>();
  const teach = (tool: string, query: string): void => {
    taught.set(tool, (taught.get(tool) ?? new Set()).add(query));
    index.learn(query, tool);
  };
  const unteach = (tool: string): void => {
    if (taught.delete(tool)) index.forget(tool);
  };
  /** Reads and writes, one after the other. */
  let work: Promise<void> = Promise.resolve();
  const enqueue = (step: () => Promise<void>): Promise<void> => {
    const before = work;
    const run = async (): Promise<void> => {
      await before;
      // The disk may be full or the database unavailable; the next call may succeed.
      await step().catch(() => undefined);
    };
    return (work = run());
  };
  const read = async (): Promise<void> => {
    const kept = Map.groupBy(await readLearned(store), ({ tool }) => tool);
    for (const tool of taught.keys()) if (!kept.has(tool)) unteach(tool);
    for (const [tool, learned] of kept) {
      const queries = new Set(learned.map(({ query }) => query));
      if ([...(taught.get(tool) ?? [])].some((query) => !queries.has(query))) unteach(tool);
      for (const query of queries) if (taught.get(tool)?.has(query) !== true) teach(tool, query);
    }
  };
  const refresh = (): Promise<void> => enqueue(read);
  void refresh();

  const remember = (session: string, searches: readonly Search[]): void => {
    const all = [...(sessions.get(session) ?? []), ...searches].slice(-MOST_SEARCHES);
    // Moves the session to the end, so that the least recently used one is dropped first.
    sessions.delete(session);
    sessions.set(session, all);
    const [oldest] = sessions.keys();
    if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
  };

  return {
    notice({ tool, args, ok, data, session }) {
      if (!ok) return;
      const time = now();
      if (SEARCHES.has(tool)) {
        remember(session, readSearches(args, data, time));
        return;
      }
      const search = sessions.get(session)?.findLast(({ found, at }) => found.has(tool) && time - at <= WINDOW);
      const query = search === undefined ? undefined : cleanQuery(search.query, redact);
      if (query === undefined) return;
      void enqueue(async () => {
        await keepLearned(store, { tool, query }, limits);
        teach(tool, query);
        await onKept?.();
      });
    },
    refresh,
    settled: () => work,
  };
}

/**
 * Reads the queries of a search with the names each found: `{ tools }`, `{ groups: [{ query, tools }] }`, CLImax's `{
 * results }`.
 */
function readSearches(args: LearnedCall['args'], data: unknown, at: number): Search[] {
  if (!isPlainObject(data)) return [];
  const { groups, results, tools = results } = data;
  if (Array.isArray(groups))
    return groups.flatMap((group) => (isPlainObject(group) ? readSearches(group, group, at) : []));
  const queries: readonly unknown[] = Array.isArray(args['queries']) ? args['queries'] : [];
  const query: unknown = args['query'] ?? (queries.length === 1 ? queries[0] : undefined);
  if (typeof query !== 'string' || !Array.isArray(tools)) return [];
  const found = new Set(
    tools.flatMap((tool): string[] => {
      const name: unknown = isPlainObject(tool) ? (tool['name'] ?? tool['tool_name']) : tool;
      return typeof name === 'string' ? [name] : [];
    }),
  );
  return found.size === 0 ? [] : [{ query, found, at }];
}

/** Prepares a query for storing: one line, without secrets, not long. Returns `undefined` if no words are left. */
function cleanQuery(query: string, redact: (text: string) => string): string | undefined {
  // Cut after redaction: half of a secret would not be recognized.
  const clean = redact(query.slice(0, 20 * LONGEST))
    .replaceAll(MASK, ' ')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  const short = clean.length <= LONGEST ? clean : clean.slice(0, LONGEST).replace(/\s\S*$/, '');
  const words = short.match(/\p{L}{2,}/gu) ?? [];
  return words.length === 0 ? undefined : short;
}

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
async function keepLearned(
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
