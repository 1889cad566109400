import { ToolError } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { SandboxCall } from '../sandbox/sandbox-messages.ts';
import { type CallAnswer, toFault } from './answer-call.ts';
import type { WaitingCall } from './program-outcome.ts';

/** Formats an error's line, as a prefix of its message. */
export function place(line: number | undefined): string {
  return line === undefined ? '' : `Line ${line}: `;
}

/** The answer to a call that had started when its process was killed and must not be repeated. */
export function unknownOutcome({ name, kind }: SandboxCall): CallAnswer {
  const message = `The call of "${name}" had started when its process ended; it is unknown whether it finished. Check its effects before you repeat it.`;
  const error = new ToolError({ code: 'outcome_unknown', message, toolName: name });
  return { ok: false, value: JSON.stringify(toFault(error)), error, tool: kind === 'tool' ? name : undefined };
}

export function waitingError(waiting: readonly WaitingCall[], id: string): ToolError {
  const calls = waiting.map(
    ({ approvalId, tool, args }) => `- ${tool} ${JSON.stringify(args)} (approval ${approvalId})`,
  );
  const count = waiting.length === 1 ? '1 call' : `${waiting.length} calls`;
  const message = `The program waits: a person must approve ${count}, and has been asked. They have not run.\n${calls.join('\n')}\nIt continues once they have answered: run_code with { "resume": "${id}" }.`;
  return new ToolError({
    code: 'approval_required',
    message,
    reason: 'waits for an answer',
    approvalId: waiting[0]?.approvalId,
  });
}

/** Creates the error of a program that another process has taken over. */
export function lostError(id: string): ToolError {
  const message = `The program "${id}" continues in another process.`;
  return new ToolError({ code: 'busy', message });
}

export function cancelled(): ToolError {
  return new ToolError({ code: 'cancelled', message: 'The program was cancelled.' });
}

/** Creates the error of a program whose sandbox failed. */
export function crashError(thrown: unknown): ToolError {
  return new ToolError({
    code: 'execution_failed',
    message: `The program could not be run: ${messageOf(thrown)}`,
    cause: thrown,
  });
}
