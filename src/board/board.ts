import type { ToolIndex } from '../discovery/tool-index.ts';
import { agents } from '../features/agents/feature.ts';
import { approvals } from '../features/approvals/feature.ts';
import { discovery } from '../features/discovery/feature.ts';
import { knowledge } from '../features/knowledge/feature.ts';
import type { BoardLock } from '../features/lock/board-lock.ts';
import { lock } from '../features/lock/feature.ts';
import { type BoardLogin, logins } from '../features/logins/feature.ts';
import type { BoardAudit } from '../features/record/board-recording.ts';
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
  /** Contacts servers again that failed recently. Default: false. */
  readonly retry?: boolean;
  /** Stops waiting: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The members of a board that come from its features. */
export interface BoardViews {
  /** Finds tools by what they do; created on first use. */
  readonly index: ToolIndex;
  /** The names of the board's tools that stay listed when others must be searched for. */
  readonly pinned: readonly string[];
  /** Returns the tools that fit a request best, best first. Default limit: 10. */
  search(query: string, options?: Parameters<ToolIndex['rank']>[1]): Tool[];
  /** The record of its calls, from all its processes. */
  readonly calls: BoardCalls;
  /** The sealed lines of that record, and checks that they are unchanged. */
  readonly audit: BoardAudit;
  /** The questions to people about its calls, from all its processes. */
  readonly approvals: BoardApprovals;
  /** Stored runs of agents, from all its processes, which can be resumed. */
  readonly runs: BoardRuns;
  /** Returns the collections of the config's `rag` section and its tools, loaded on first use. */
  knowledge(): Promise<Knowledge>;
  /** The MCP servers of the config. */
  readonly servers: readonly BoardServer[];
  /** The APIs of the config that a person logs in to, as `pegboard login` does. */
  logins(): Promise<readonly BoardLogin[]>;
  /** Differences between the tools and `pegboard.lock`. */
  readonly lock: BoardLock;
  /**
   * Waits until every MCP server has listed its offer or failed, and contacts those that were not contacted yet. Returns the servers that
   * are still unknown.
   */
  ready(options?: ReadyOptions): Promise<readonly BoardServer[]>;
}

/** Tools of files and code with everything around them: policy, lock, knowledge, servers. */
export interface Board extends BoardCore, BoardViews {}

/** Adds the members that come from features to a board, under their public names. No other file of this folder knows a feature by name. */
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
  // Defined on the board itself, because its own methods need their private fields.
  return Object.defineProperties(live, Object.getOwnPropertyDescriptors(views)) as LiveBoard & Board;
}
