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

/** A call that waits for a person's yes. */
export interface WaitingCall {
  /** The id of the question, as `pegboard approvals` and `board.approvals` know it. */
  readonly approvalId: string;
  readonly tool: string;
  /** The arguments of the call. */
  readonly args: unknown;
}

/** How a program ended, or how far it came: with calls that wait for a yes it goes on when they are answered. */
export type ProgramOutcome = ProgramTrace &
  (
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: ToolError; readonly waiting?: readonly WaitingCall[] | undefined }
  );
