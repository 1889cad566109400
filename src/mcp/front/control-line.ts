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

/** A message of a board to a front. */
export type Control =
  | { readonly type: 'attached' | 'running'; readonly pid: number }
  /** The connection is refused; the reason is for people. */
  | { readonly type: 'refused'; readonly reason: string }
  /** A line for the person who started the front. */
  | { readonly type: 'log'; readonly text: string }
  /** The board depends on other variables now. */
  | { readonly type: 'variables'; readonly variables: BoardVariables; readonly digest: string }
  /** The board stops; it takes no further requests. */
  | { readonly type: 'leaving' }
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
