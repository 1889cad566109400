import { readAgents } from '../../../agent/define/read-agents.ts';
import { resumeRun, streamRun } from '../../../agent/runs/resume-run.ts';
import { createApproval, inTurn } from '../../../cli/shared/ask/ask-approval.ts';
import { refuse } from '../../../cli/shared/cli-context.ts';
import { defineCommand, flag, valueOption } from '../../../cli/shared/command.ts';
import { chooseAgent } from '../../../cli/shared/choose-agent.ts';
import { printRun } from './run-once.ts';

export const runsResume = defineCommand({
  name: 'runs resume',
  description:
    'Resumes an interrupted or waiting run from its last stored step. For a run that has ended, prints its answer.',
  arguments: [{ name: 'ID', description: 'The id from `pegboard runs list`', required: true }],
  options: {
    model: valueOption('PROVIDER/MODEL', 'Use another model', { short: 'm' }),
    yes: flag('Approve calls that the policy or the agent asks about', 'y'),
    suspend: flag('Stop again when a call needs approval, instead of waiting'),
  },
  examples: [['pegboard runs resume order-17', 'after a restart']],
  board: ({ values, context }) => ({ meet: 'new', approve: inTurn(createApproval(context, values.yes)) }),
  async run({ values, positionals: [id = ''], json, context, board }) {
    // The AI SDK would write its warnings to stdout, among the answer.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    const known = await board.runs.get(id);
    if (known === undefined) return refuse(context, `There is no run "${id}". List the runs with pegboard runs list.`);
    const name = readAgents(board, { cwd: context.cwd }).has(known.agent) ? known.agent : undefined;
    const agent = chooseAgent(board, { name, model: values.model }, context);
    const options = {
      agent,
      signal: context.signal,
      env: context.env,
      onApproval: values.suspend ? ('suspend' as const) : undefined,
    };
    return printRun(
      { agent: agent.name, run: id },
      { context, json },
      {
        run: (onEvent) => resumeRun(board, id, { ...options, onEvent }),
        stream: (onEvent) => streamRun(board, id, { ...options, onEvent }),
      },
    );
  },
});
