import type { AskedApproval } from '../../mcp/front/command-messages.ts';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../tool/calls/approval.ts';
import { isInsideCall } from '../../platform/process/trees/process-table.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { createApproval, inTurn } from '../shared/ask/ask-approval.ts';
import { gateOutput } from '../shared/print/gate-output.ts';

type Question = (requests: readonly AskedApproval[], signal: AbortSignal) => Promise<readonly ApprovalAnswer[]>;

/** Makes the function that asks the person at the terminal of this process about calls of a board in another one. */
export function createQuestions(signal: AbortSignal): Question {
  const context = {
    stdin: process.stdin,
    stdout: gateOutput(process.stdout),
    stderr: gateOutput(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    signal,
  };
  // A process inside a call must not approve calls, even if it brings a terminal.
  const approve = isInsideCall(process.env) ? undefined : inTurn(createApproval(context, false));
  return async (asked, over) => {
    if (approve === undefined) return asked.map(() => 'unavailable' as const);
    return ask(
      approve,
      asked.map((one) => ({ ...one, signal: over, context: new ToolContext() })),
      over,
    );
  };
}

async function ask(
  approve: Approve,
  requests: readonly ApprovalRequest[],
  over: AbortSignal,
): Promise<readonly ApprovalAnswer[]> {
  const [first] = requests;
  if (approve.together !== undefined && requests.length > 1) return approve.together(requests, over);
  return first === undefined ? [] : [await approve(first)];
}
