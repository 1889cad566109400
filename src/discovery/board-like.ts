import { describeValue } from '../tool/texts/describe-value.ts';
import type { ModelProvider } from '../tool/model-provider.ts';
import type { BoardOffers } from '../tool/offers.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { BoardChanges } from '../guard/approval/waiting-change.ts';
import type { BoardApprovals } from '../guard/approval/kept/approval-record.ts';
import type { ToolRegistry } from '../board/registry/tool-registry.ts';
import type { OutputStore } from '../platform/outputs/output-store.ts';
import type { BoardRuns } from '../platform/runs/board-runs.ts';
import type { BoardStore } from '../platform/store/board-store.ts';
import type { SealedStore } from '../platform/store/sealed-space.ts';
import type { SourceInfo } from './indexed-tool.ts';
import type { ToolIndex } from './tool-index.ts';

/** Another MCP server on a board, with the data that the board's own server needs. */
export interface BoardPeer {
  readonly name: string;
  readonly instructions?: string | undefined;
  readonly state?: string | undefined;
  /** The reason that its last start failed. */
  readonly failure?: unknown;
  readonly instances?: number | undefined;
  readonly starts?: number | undefined;
  /** The number of its tools; `undefined` while unknown. */
  readonly offered?: number | undefined;
  /** The changes in its tools since a person last reviewed them. */
  readonly changes?: string | undefined;
  /** @internal Its users' logins on pages of the board. Default: none. */
  readonly logins?: PageLogins | undefined;
}

/** @internal Logins of users at one server, on pages of the board. */
export interface PageLogins {
  /** Returns the login of a page, if there is one. */
  find(page: string): Promise<PageLogin | undefined>;
  /** Starts a login in a browser: returns the URL to redirect to, and a cookie for this browser only. */
  begin(page: string): Promise<{ readonly url: string; readonly cookie: string } | undefined>;
  /**
   * Completes a login with the address that the browser returned to. Returns `undefined` if it belongs to another
   * server. Throws if it fails.
   */
  finish(address: string, cookie: string): Promise<PageLogin | undefined>;
}

/** @internal The login of a page. */
export interface PageLogin {
  readonly server: string;
  readonly user: string;
  /** The issuer where the person logs in. */
  readonly issuer: string;
  readonly scope: string | undefined;
}

/** The part of a recorded call that a server uses. */
export interface KnownCall {
  readonly tool: string;
  /** The user it was made for; empty for the user of the board. */
  readonly caller: string;
  readonly requests?: unknown;
  readonly approvals?: unknown;
}

/** A query of a server to the record of calls. */
export interface CallQuery {
  readonly tool?: string | undefined;
  readonly caller?: string | undefined;
  readonly outcome?: string | undefined;
  readonly since?: number | undefined;
  readonly text?: string | undefined;
  readonly parent?: string | undefined;
  readonly limit?: number | undefined;
  readonly scan?: number | undefined;
}

/** The parts of a board that servers, agents and the inspector use. A board of `openBoard` has all of them. */
export interface BoardParts {
  readonly registry: ToolRegistry;
  /** Finds tools by what they do. Default: created from the registry when needed. */
  readonly index?: ToolIndex | undefined;
  /** Names of tools that are listed where all others must be searched for. Default: none. */
  readonly pinned?: readonly string[] | undefined;
  /** Other MCP servers on the board, with their instructions for clients. */
  readonly servers?: readonly BoardPeer[] | undefined;
  /** The number of running commands, and of calls that wait to run one. */
  readonly processes?: { readonly running: number; readonly waiting: number } | undefined;
  /** Prompts and resources in addition to an MCP server's own. Default: none. */
  readonly offers?: BoardOffers | undefined;
  /** The config files of the board. */
  readonly files?: readonly BoardFile[] | undefined;
  /** Stores small records between runs, such as sessions of an MCP server. Default: in memory. */
  readonly store?: BoardStore | undefined;
  /** Stores records that only processes with the board's key may read, such as tasks. Default: in memory. */
  readonly sealed?: SealedStore | undefined;
  /** The record of the board's calls, by all its processes. Default: none. */
  readonly calls?:
    | {
        list(query: CallQuery): Promise<readonly KnownCall[]>;
        get(id: string): Promise<KnownCall | undefined>;
      }
    | undefined;
  /** The questions to people about the board's calls, by all its processes. Default: none are stored. */
  readonly approvals?: BoardApprovals | undefined;
  /** Changes of the board's files that wait for a person. Default: none wait. */
  readonly changes?: BoardChanges | undefined;
  /** Runs of agents that can resume after a restart. Default: no run is stored. */
  readonly runs?: BoardRuns | undefined;
  /** Outputs that were too large to return; an MCP server serves them as resources. */
  readonly outputs?: OutputStore | undefined;
  /** The plugins of the board; agents use their models. */
  readonly plugins?:
    | readonly { readonly providers?: Readonly<Record<string, ModelProvider>> | undefined }[]
    | undefined;
  /** Waits until each server has answered or failed. Default: nothing to wait for. */
  ready?(options?: { readonly signal?: AbortSignal }): Promise<unknown>;
  /** Subscribes to reloads, if the board has files: a failed one has an `error`. Returns a function that unsubscribes. */
  on?(event: 'reloaded' | 'reload-failed' | 'reload-waiting', listener: (reload: object) => unknown): () => void;
}

/** A config file of a board: its description and its sections. */
export interface BoardFile extends SourceInfo {
  readonly sections?: Readonly<Record<string, unknown>> | undefined;
}

/** Anything with tools to serve, run, inspect, index or count: a board of `openBoard`, a `ToolRegistry`, or parts of a board. */
export type BoardLike = ToolRegistry | BoardParts;

/** Returns the parts of a board, or wraps a registry. The error for a value without tools names `caller`. */
export function toBoardParts(given: BoardLike, caller: string): BoardParts {
  // Code without types may pass anything; not `instanceof`, because a registry may come from another copy of this
  // package.
  const value = Object(given) as Partial<BoardParts> & Partial<ToolRegistry>;
  if (typeof value.getAll === 'function') return { registry: given as ToolRegistry };
  if (typeof value.registry?.getAll === 'function') return given as BoardParts;
  const message = `${caller} takes a board of openBoard, a ToolRegistry, or an object with a registry; got ${describeValue(given)}.`;
  throw new ToolError({ code: 'invalid_arguments', message });
}
