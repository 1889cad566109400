import { createMemorySession, openSession } from '../../../agent/session/agent-session.ts';
import type { Elicit } from '../../../tool/calls/elicitation.ts';
import type { Inspector } from '../../../inspector/start-inspector.ts';
import { ApprovalInbox } from '../../../guard/approval/approval-inbox.ts';
import { firstAnswer } from '../../../guard/approval/first-answer.ts';
import { createApproval, inTurn } from '../../ask/ask-approval.ts';
import { chooseAgent } from './choose-agent.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { UsageError } from '../../command-line/usage-error.ts';
import { useBoard } from '../../board/use-board.ts';

export const agent = defineCommand({
  name: 'agent',
  description:
    'Talks with an agent that uses the tools of the board. Keys come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY; or PEGBOARD_MODEL=ollama/MODEL.',
  arguments: [
    {
      name: 'NAME',
      description: 'An agent of the agents section (default: the only one, or the whole board)',
      completes: 'agents',
    },
  ],
  options: {
    ...FILE_OPTION,
    once: { type: 'string', value: 'TEXT', description: 'Ask this, print the answer and leave' },
    session: {
      type: 'string',
      short: 's',
      value: 'NAME',
      description: 'Keep the conversation, and go on with it next time',
    },
    model: {
      type: 'string',
      short: 'm',
      value: 'PROVIDER/MODEL',
      description: 'Another model, such as anthropic/claude-sonnet-5',
    },
    run: { type: 'string', value: 'ID', description: 'With --once: keep the run, so that it can go on after a crash' },
    suspend: {
      type: 'boolean',
      description: 'With --run: end when a call needs an approval, instead of waiting for it',
    },
    yes: { type: 'boolean', short: 'y', description: 'Approve calls where the policy or the agent asks' },
    inspect: { type: 'boolean', description: 'Show calls and answer approvals on a page; prints its link' },
  },
  examples: [
    ['pegboard agent', 'a conversation; /help lists what else you can type'],
    ['pegboard agent --once "What did I commit today?" --json', 'one answer, for a script'],
    ['pegboard agent helper --session work', 'go on where you left off'],
    ['pegboard agent helper --once "Send the bills" --run bills-7', 'pegboard runs resume bills-7 goes on with it'],
    ['pegboard agent --once "Tidy up" --inspect', 'approve its calls on a page'],
  ],
  run: async ({ values, positionals: [name], json, context }) => {
    if (values.session === '') throw new UsageError('--session needs a name, such as --session work.', 'agent');
    if (values.run !== undefined && values.once === undefined && !json)
      throw new UsageError('--run keeps the run of one question: give it with --once.', 'agent');
    // The AI SDK would write its warnings to stdout, among the answer.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    const inbox = values.inspect ? new ApprovalInbox() : undefined;
    const atTerminal = inTurn(createApproval(context, values.yes));
    const asked = [atTerminal, inbox?.ask].filter((one) => one !== undefined);
    const approve = asked.length > 1 ? firstAnswer(asked) : asked[0];
    let inspector: Inspector | undefined;
    // Questions of servers go to the inspector, if it is open.
    const elicit: Elicit = (...question) => inspector?.elicit(...question) ?? { action: 'decline' };
    const options = {
      context,
      // The model sees the tools that exist at the start.
      meet: 'new',
      ...(inbox === undefined ? {} : { elicit }),
      approve,
    } as const;
    return useBoard(values.file, options, async (board) => {
      const chosen = chooseAgent(board, { name, model: values.model }, context);
      const session = values.session === undefined ? createMemorySession() : openSession(board.store, values.session);
      const talk = async (): Promise<number> => {
        if (values.once === undefined && !json) {
          const { runChat } = await import('./chat.ts');
          return runChat({ board, agent: chosen, context, session });
        }
        const { runOnce } = await import('./run-once.ts');
        const keeping = { run: values.run, onApproval: values.suspend ? ('suspend' as const) : undefined };
        return runOnce(chosen, values.once, { board, session, context, json, ...keeping });
      };
      if (inbox === undefined) return talk();
      const { openInspector } = await import('../../board/open-inspector.ts');
      inspector = await openInspector(board, inbox, context);
      return talk().finally(() => inspector?.close());
    });
  },
});
