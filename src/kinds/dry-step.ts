import type { DryVerdict } from '../guard/approval/guard.ts';

/** A command that a call would start. */
export interface DryCommand {
  readonly type: 'command';
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  /** Names only: values may be secrets. */
  readonly env: readonly string[];
  /** Bytes for standard input. */
  readonly stdin: number | undefined;
  /** Files to be written for it, in the folder that `argv` calls `<files>`. */
  readonly files?: readonly { readonly name: string; readonly bytes: number }[];
}

/** A request that a call would send. */
export interface DryRequest {
  readonly type: 'request';
  readonly method: string;
  readonly url: string;
  /** Names only: values may be secrets. */
  readonly headers: readonly string[];
  /** The kind of credentials added to it, such as `bearer`. */
  readonly auth?: string;
}

/** A search or a write in a knowledge base. */
export interface DryKnowledge {
  readonly type: 'knowledge';
  readonly operation: 'search' | 'store';
  readonly collection: string;
  /** The name of the server in the config. */
  readonly server: string;
  readonly driver: string;
  /** A file or an address. */
  readonly place: string;
  /** The embedder; none for a search by words alone. */
  readonly embedder: string | undefined;
  /** The arguments, with their defaults. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Any other step of a call, described by its kind. */
export interface DryAction {
  readonly type: 'action';
  /** The action: `query shop.db`. */
  readonly title: string;
  /** Its inputs, by name. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** One step of a call. */
export type DryStep = DryCommand | DryRequest | DryKnowledge | DryAction;

/** The steps that a call would take. */
export interface DryRun {
  readonly tool: string;
  /** Empty if the tool's kind cannot describe its calls. */
  readonly steps: readonly DryStep[];
  /** The predicted decision of the board's policies; undefined if they allow the call. */
  readonly verdict?: DryVerdict;
}
