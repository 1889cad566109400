import type { JsonRpcId } from '../protocol/json-rpc.ts';
import type { McpServerOptions } from '../server/server-options.ts';
import type { BoardVariables } from './board-notice.ts';
import type { CommandLine } from './command-messages.ts';

/** The first byte of a line that is for the front and not for its client. No JSON begins with it. */
export const CONTROL = '#';

/** The first line of a connection to a board. */
export type Hello =
  | {
      readonly type: 'attach';
      readonly token: string;
      readonly client: FrontInfo;
      readonly serve: ServeWish;
      /** Ids of requests that an earlier board may have run. */
      readonly repeated: readonly (string | number)[];
    }
  /** Runs a command line; frames follow the answer in both directions. */
  | { readonly type: 'run'; readonly token: string; readonly line: CommandLine }
  | { readonly type: 'status' | 'stop'; readonly token: string };

/** The process that attaches. */
export interface FrontInfo {
  readonly pid: number;
  /** The process that started it. */
  readonly parent: number;
  /** Its working folder. */
  readonly folder: string;
}

/** The options of `pegboard serve` that each front may choose. */
export interface ServeWish {
  readonly mode?: McpServerOptions['mode'] | undefined;
  readonly compat?: McpServerOptions['compat'];
  readonly eager?: boolean | undefined;
}

/** Limits of a board that its fronts keep. */
export interface FrontLimits {
  /** Bytes of a message at most. */
  readonly maxMessage: number;
  /** Milliseconds for open requests after a front was asked to end. */
  readonly grace: number;
}

/** A message of a board to a front. */
export type Control =
  | { readonly type: 'attached'; readonly pid: number; readonly limits: FrontLimits }
  /** The board executes a command line for this connection. */
  | { readonly type: 'running'; readonly pid: number }
  /** The limits were changed by a reload. */
  | { readonly type: 'limits'; readonly limits: FrontLimits }
  /** A request came after the board had taken its leave, and did not run. */
  | { readonly type: 'refused'; readonly id: JsonRpcId }
  /** A line for the person who started the front. */
  | { readonly type: 'log'; readonly text: string }
  /** The board depends on other variables now. */
  | { readonly type: 'variables'; readonly variables: BoardVariables; readonly digest: string }
  /** The board stops: it refuses further requests, and waits until the front ends the connection. */
  | { readonly type: 'leaving' }
  /** A request that came too late, and was not run. */
  | { readonly type: 'declined'; readonly id: string | number }
  | { readonly type: 'status'; readonly status: unknown };

/** Formats a message of a board to a front as a line. */
export function formatControl(control: Control): string {
  return `${CONTROL}${JSON.stringify(control)}\n`;
}

/** Parses a line that begins with the control byte. */
export function parseControl(line: string): Control {
  // Written by `formatControl` of the same version.
  return JSON.parse(line.slice(CONTROL.length)) as Control;
}
