import type { DryVerdict } from '../guard/approval/guard.ts';

/** A command a call would start. */
export interface DryCommand {
  readonly type: 'command';
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  /** Names only: values may be secrets. */
  readonly env: readonly string[];
  /** Bytes that would be fed to standard input. */
  readonly stdin: number | undefined;
  /** Files that would be written for it, in the folder that `argv` calls `<files>`. */
  readonly files?: readonly { readonly name: string; readonly bytes: number }[];
}

/** A request a call would send. */
export interface DryRequest {
  readonly type: 'request';
  readonly method: string;
  readonly url: string;
  /** Names only: values may be secrets. */
  readonly headers: readonly string[];
  /** The kind of credentials that are added to it, such as `bearer`. */
  readonly auth?: string;
}

/** What a call would search or store, and where. */
export interface DryKnowledge {
  readonly type: 'knowledge';
  readonly operation: 'search' | 'store';
  readonly collection: string;
  /** The name of the server in the config. */
  readonly server: string;
  readonly driver: string;
  /** A file or an address. */
  readonly place: string;
  /** What makes the vectors; none when words alone are looked at. */
  readonly embedder: string | undefined;
  /** The arguments, with their defaults. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Any other step of a call, in the words of its kind. */
export interface DryAction {
  readonly type: 'action';
  /** What would be done: `query shop.db`. */
  readonly title: string;
  /** What it would be done with, by name. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** One step of a call. */
export type DryStep = DryCommand | DryRequest | DryKnowledge | DryAction;

/** What a call would do. */
export interface DryRun {
  readonly tool: string;
  /** Empty when the tool's kind cannot tell. */
  readonly steps: readonly DryStep[];
  /** What the board's policies would make of the call; missing where they let it pass. */
  readonly verdict?: DryVerdict;
}
