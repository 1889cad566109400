import type { ToolError } from '../../tool/tool-error.ts';

/** A call that a program made. */
export interface ProgramCall {
  /** Its number among the calls of the program, from 1 on. */
  readonly number: number;
  /** The name of the tool. */
  readonly tool: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  readonly durationMs: number;
}

/** What a program did, however it ended. */
interface ProgramTrace {
  /** What it wrote with `console.log`. */
  readonly logs: readonly string[];
  /** The calls of tools, in the order in which they ended. */
  readonly calls: readonly ProgramCall[];
  /** The id under which the board keeps the program while it is not over. */
  readonly id: string;
}

/** How a program ended. */
export type ProgramOutcome = ProgramTrace &
  ({ readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: ToolError });
