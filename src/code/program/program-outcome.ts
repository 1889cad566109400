import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';

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

/** Formats a returned value for the model. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'The program returned nothing.';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats console output for the model; empty if there is none. */
export function showConsole({ logs }: Pick<ProgramOutcome, 'logs'>): string[] {
  return logs.length === 0 ? [] : [`console:\n${logs.join('\n')}`];
}

/** Returns the result of a program that failed or waits: the error and the calls it made. */
export function failedResult(outcome: Pick<ProgramOutcome, 'logs' | 'calls'>, error: ToolError): ToolResult {
  const { code, toolName, field, reason, issues, recoverable, cause, approvalId, loginUrl } = error;
  // The next program must not repeat these calls.
  const done = outcome.calls.length === 0 ? [] : [`Calls that were made: ${countCalls(outcome)}.`];
  const message = [error.message, ...done, ...showConsole(outcome)].join('\n\n');
  return ToolResult.error(
    new ToolError({ code, toolName, field, reason, issues, recoverable, cause, approvalId, loginUrl, message }),
  );
}

/** `3 × send_mail, 1 × list_orders (not_found)`. */
function countCalls({ calls }: Pick<ProgramOutcome, 'calls'>): string {
  const counts = new Map<string, number>();
  for (const { tool, outcome } of calls) {
    const name = outcome === 'ok' ? tool : `${tool} (${outcome})`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
}
