import type { ToolError } from '../../tool/tool-error.ts';

/** A call that a program made. */
export interface ProgramCall {
  /** Its number among the calls of the program, starting at 1. */
  readonly number: number;
  readonly tool: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  readonly durationMs: number;
}

/** The output and calls of a program, however it ended. */
interface ProgramTrace {
  /** The output of `console.log`. */
  readonly logs: readonly string[];
  /** The tool calls, in the order in which they ended. */
  readonly calls: readonly ProgramCall[];
  /** The id under which the board stores the program until it ends. */
  readonly id: string;
}

/** A call that waits for approval. */
export interface WaitingCall {
  /** The id of the question in `pegboard approvals` and `board.approvals`. */
  readonly approvalId: string;
  readonly tool: string;
  readonly args: unknown;
}

/** The end of a program, or its state so far: with calls waiting for approval, it continues when they are answered. */
export type ProgramOutcome = ProgramTrace &
  (
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: ToolError; readonly waiting?: readonly WaitingCall[] | undefined }
  );
