import type { ToolIndex } from '../discovery/tool-index.ts';
import { agents } from '../features/agents/feature.ts';
import { approvals } from '../features/approvals/feature.ts';
import { discovery } from '../features/discovery/feature.ts';
import { knowledge } from '../features/knowledge/feature.ts';
import type { BoardLock } from '../features/lock/board-lock.ts';
import { lock } from '../features/lock/feature.ts';
import { logins } from '../features/logins/feature.ts';
import type { BoardLogin } from '../features/logins/find-logins.ts';
import type { BoardAudit } from '../features/record/audit/board-audit.ts';
import type { BoardCalls } from '../features/record/board-calls.ts';
import { record } from '../features/record/feature.ts';
import { servers } from '../features/servers/feature.ts';
import type { BoardServer } from '../features/servers/to-board-server.ts';
import type { BoardApprovals } from '../guard/approval/kept/approval-record.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { BoardRuns } from '../platform/runs/board-runs.ts';
import type { Tool } from '../tool/tool.ts';
import type { BoardCore } from './board-core.ts';
import type { LiveBoard } from './live-board.ts';

/** Options of `ready`. */
export interface ReadyOptions {
  /** Asks servers that failed a short while ago once more. Default: false. */
  readonly retry?: boolean;
  /** Ends the wait: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The members of a board that its features bring. */
export interface BoardViews {
  /** Finds tools by what they do; made when first asked for. */
  readonly index: ToolIndex;
  /** The names of tools that stay listed where others must be searched for; those that are on the board. */
  readonly pinned: readonly string[];
  /** The tools that fit a request best, best first. At most 10 unless `limit` says otherwise. */
  search(query: string, options?: Parameters<ToolIndex['rank']>[1]): Tool[];
  /** The record of its calls, by all its processes. */
  readonly calls: BoardCalls;
  /** The sealed lines of that record, and whether they are as they were written. */
  readonly audit: BoardAudit;
  /** The questions to people about its calls, by all its processes. */
  readonly approvals: BoardApprovals;
  /** Runs of agents that are kept and can go on, by all its processes. */
  readonly runs: BoardRuns;
  /** The collections of the config's `rag` section and its tools; loaded when first asked for. */
  knowledge(): Promise<Knowledge>;
  /** The MCP servers of the config. */
  readonly servers: readonly BoardServer[];
  /** The APIs of the config that a person logs in to, as `pegboard login` does. */
  logins(): Promise<readonly BoardLogin[]>;
  /** The state of the tools against `pegboard.lock`. */
  readonly lock: BoardLock;
  /**
   * Waits until every MCP server has said what it offers, or failed; asks those that were not asked yet. Gives the servers of
   * which nothing is known then.
   */
  ready(options?: ReadyOptions): Promise<readonly BoardServer[]>;
}

/** Tools of files and of code with all that belongs to them: policy, lock, knowledge, servers. */
export interface Board extends BoardCore, BoardViews {}

/** Gives a board the members that its features bring, under their public names. No other file of this room knows a feature by name. */
export function toBoard(live: LiveBoard): LiveBoard & Board {
  const views: BoardViews = {
    get index() {
      return live.api(discovery).index;
    },
    get pinned() {
      return live.api(discovery).settings.pinned.filter((name) => live.registry.has(name));
    },
    search: (query, options) =>
      views.index.rank(query, options).hits.flatMap(({ name }) => live.registry.get(name) ?? []),
    get calls() {
      return live.api(record).calls;
    },
    get audit() {
      return live.api(record).audit;
    },
    get approvals() {
      return live.api(approvals);
    },
    get runs() {
      return live.api(agents);
    },
    knowledge: () => live.api(knowledge).open(),
    get servers() {
      return live.feature(servers)?.list() ?? [];
    },
    logins: () => live.api(logins)(),
    get lock() {
      return live.api(lock).of(live.list).lock;
    },
    async ready({ retry = false, signal } = {}) {
      await live.settled(retry, signal);
      return views.servers.filter(({ offered }) => offered === undefined);
    },
  };
  // Properties of the board itself: its own methods need their private fields.
  return Object.defineProperties(live, Object.getOwnPropertyDescriptors(views)) as LiveBoard & Board;
}
