import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { ProgramOutcome } from './program/program-outcome.ts';

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
