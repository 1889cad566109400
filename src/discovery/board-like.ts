import { describeValue } from '../tool/texts/describe-value.ts';
import type { ModelProvider } from '../tool/model-provider.ts';
import type { BoardOffers } from '../tool/offers.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { BoardApprovals } from '../guard/approval/kept/board-approvals.ts';
import type { ToolRegistry } from '../board/registry/tool-registry.ts';
import type { OutputStore } from '../platform/outputs/output-store.ts';
import type { BoardRuns } from '../platform/runs/board-runs.ts';
import type { BoardStore } from '../platform/store/board-store.ts';
import type { SealedStore } from '../platform/store/sealed-space.ts';
import type { SourceInfo } from './indexed-tool.ts';
import type { ToolIndex } from './tool-index.ts';

/** Another MCP server on a board, as the board's own server needs it. */
export interface BoardPeer {
  readonly name: string;
  readonly instructions?: string | undefined;
  readonly state?: string | undefined;
  /** Why its last start failed. */
  readonly failure?: unknown;
  readonly instances?: number | undefined;
  readonly starts?: number | undefined;
  /** The number of tools that it offers; `undefined` while that is not known. */
  readonly offered?: number | undefined;
  /** The changes in its tools since a person last looked. */
  readonly changes?: string | undefined;
  /** @internal Where its users log in on pages of the board. Default: they do not. */
  readonly logins?: PageLogins | undefined;
}

/** @internal Logins of users at one server, on pages of the board. */
export interface PageLogins {
  /** The login that a page is for; `undefined` where there is none. */
  find(page: string): Promise<PageLogin | undefined>;
  /** Begins it in a browser: where to send that, and what only this browser knows. */
  begin(page: string): Promise<{ readonly url: string; readonly cookie: string } | undefined>;
  /** Ends it with the address that the browser came back to; `undefined` where it is none of this server's. Throws why not. */
  finish(address: string, cookie: string): Promise<PageLogin | undefined>;
}

/** @internal A login that a page is for. */
export interface PageLogin {
  readonly server: string;
  readonly user: string;
  /** Who the person logs in at. */
  readonly issuer: string;
  readonly scope: string | undefined;
}

/** A call as a board's record has it, as far as its server looks at it. */
export interface KnownCall {
  readonly tool: string;
  /** The user it was made for; empty for the user of the board. */
  readonly caller: string;
  readonly requests?: unknown;
  readonly approvals?: unknown;
}

/** Which calls a server asks the record for. */
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
  /** Finds tools by what they do. Default: made from the registry when it is needed. */
  readonly index?: ToolIndex | undefined;
  /** Names of tools that are listed where all others must be searched for. Default: none. */
  readonly pinned?: readonly string[] | undefined;
  /** Other MCP servers on the board, and what each says about itself, for the clients of the board. */
  readonly servers?: readonly BoardPeer[] | undefined;
  /** How many commands run, and how many calls wait for a place to run one. */
  readonly processes?: { readonly running: number; readonly waiting: number } | undefined;
  /** Prompts and resources besides those that an MCP server has of itself. Default: none. */
  readonly offers?: BoardOffers | undefined;
  /** The config files that the board was read from. */
  readonly files?: readonly BoardFile[] | undefined;
  /** Keeps small records between runs, such as sessions of an MCP server. Default: they are kept in memory. */
  readonly store?: BoardStore | undefined;
  /** The same for what only processes with the board's key may read, such as tasks. Default: it is kept in memory. */
  readonly sealed?: SealedStore | undefined;
  /** The record of the board's calls, by all its processes. Default: there is none. */
  readonly calls?:
    | {
        list(query: CallQuery): Promise<readonly KnownCall[]>;
        get(id: string): Promise<KnownCall | undefined>;
      }
    | undefined;
  /** The questions to people about the board's calls, by all its processes. Default: none are kept. */
  readonly approvals?: BoardApprovals | undefined;
  /** Runs of agents that can go on after a restart. Default: no run is kept. */
  readonly runs?: BoardRuns | undefined;
  /** Outputs that were too large to return; an MCP server serves them as resources. */
  readonly outputs?: OutputStore | undefined;
  /** The plugins of the board; agents use the models that they bring. */
  readonly plugins?:
    | readonly { readonly providers?: Readonly<Record<string, ModelProvider>> | undefined }[]
    | undefined;
  /** Waits until each server has answered or failed. Default: there is nothing to wait for. */
  ready?(options?: { readonly signal?: AbortSignal }): Promise<unknown>;
  /** Tells of reloads, where the board has files: a failed one has an `error`. Gives the function that stops it. */
  on?(event: 'reloaded' | 'reload-failed', listener: (reload: object) => unknown): () => void;
}

/** A config file of a board: what it says of itself, and its `serve` section. */
export interface BoardFile extends SourceInfo {
  readonly serve?: Readonly<Record<string, unknown>> | undefined;
}

/** All that has tools to serve, run, inspect, index or count: a board of `openBoard`, a `ToolRegistry`, or parts of a board. */
export type BoardLike = ToolRegistry | BoardParts;

/** The parts of a board, or of a registry by itself. `caller` is named in the error for a value without tools. */
export function toBoardParts(given: BoardLike, caller: string): BoardParts {
  // Code without types may pass anything; not `instanceof`, as a registry may come from another copy of this package.
  const value = Object(given) as Partial<BoardParts> & Partial<ToolRegistry>;
  if (typeof value.getAll === 'function') return { registry: given as ToolRegistry };
  if (typeof value.registry?.getAll === 'function') return given as BoardParts;
  const message = `${caller} takes a board of openBoard, a ToolRegistry, or an object with a registry; got ${describeValue(given)}.`;
  throw new ToolError({ code: 'invalid_arguments', message });
}
