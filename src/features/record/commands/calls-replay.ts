import type { RecordedCall } from '../board-calls.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { withClient } from '../../../tool/calls/call-owner.ts';
import { createApproval } from '../../../cli/shared/ask/ask-approval.ts';
import { awaitTool } from '../../../cli/shared/board/find-tools.ts';
import { refuse } from '../../../cli/shared/cli-context.ts';
import { defineCommand, flag } from '../../../cli/shared/command.ts';
import { describeResult } from '../../../cli/shared/print/print-answer.ts';

export const callsReplay = defineCommand({
  name: 'calls replay',
  description:
    'Repeats a recorded call as you, with its original arguments. It needs a full record, and is subject to policy and approvals like any call.',
  arguments: [{ name: 'ID', description: 'The id from `pegboard calls`', required: true }],
  options: {
    yes: flag('Approve the call if the policy asks', 'y'),
  },
  examples: [['pegboard calls replay 5f0c2a91d3-4', 'after a fix']],
  board: ({ values, context }) => ({ servers: 'cached', approve: createApproval(context, values.yes) }),
  async run({ positionals: [id = ''], context, board }) {
    const recorded = await board.calls.get(id);
    const args = readRecorded(recorded, id);
    if (typeof args === 'string') return refuse(context, args);
    const tool = await awaitTool(board, recorded?.tool ?? '', { context, wish: 'retry' });
    return describeResult(
      await board.call(tool.metadata.name, args, {
        signal: context.signal,
        context: withClient({}, { user: '', session: '', via: 'terminal (replay)' }),
      }),
      false,
    );
  },
});

/** Reads the arguments of a recorded call; a text explains why it cannot be repeated. */
function readRecorded(call: RecordedCall | undefined, id: string): Record<string, unknown> | string {
  if (call === undefined) return `There is no recorded call "${id}". List them with: pegboard calls`;
  const { tool, args, isArgsWhole, part } = call;
  if (part !== undefined)
    return `"${id}" is a ${part} of the agent "${tool}", not a call. Start the agent again: pegboard agent ${tool}`;
  if (args === undefined)
    return `The arguments of this call were not recorded. Set record: { tools: { ${tool}: full } } to record those of later calls.`;
  if (isArgsWhole !== true)
    return `The arguments of this call were recorded without secrets, or shortened. Call it yourself: pegboard call ${tool}`;
  const parsed: unknown = JSON.parse(args);
  return isPlainObject(parsed) ? parsed : `The arguments of this call are not a JSON object: ${args}`;
}
