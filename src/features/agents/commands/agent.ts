import { createMemorySession, openSession } from '../../../agent/session/agent-session.ts';
import type { Inspector } from '../../../inspector/start-inspector.ts';
import { ApprovalInbox } from '../../../guard/approval/approval-inbox.ts';
import { firstAnswer } from '../../../guard/approval/ask-together.ts';
import { createApproval, inTurn } from '../../../cli/shared/ask/ask-approval.ts';
import { chooseAgent } from '../../../cli/shared/choose-agent.ts';
import { defineCommand, flag, valueOption } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';

export const agent = defineCommand({
  name: 'agent',
  description:
    'Chats with an agent that uses the tools of the board. Keys come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY; or PEGBOARD_MODEL=ollama/MODEL.',
  arguments: [
    {
      name: 'NAME',
      description: 'An agent of the agents section (default: the only one, or the whole board)',
      completes: 'agents',
    },
  ],
  options: {
    once: valueOption('TEXT', 'Ask one question, print the answer and exit'),
    session: valueOption('NAME', 'Save the conversation, and continue it next time', { short: 's' }),
    model: valueOption('PROVIDER/MODEL', 'Use another model, such as anthropic/claude-sonnet-5', { short: 'm' }),
    run: valueOption('ID', 'With --once: store the run, so that it can be resumed after a crash'),
    suspend: flag('With --run: stop when a call needs approval, instead of waiting'),
    yes: flag('Approve calls that the policy or the agent asks about', 'y'),
    inspect: flag('Show calls and approvals in the browser; prints a link'),
  },
  examples: [
    ['pegboard agent', 'a conversation; /help lists the commands'],
    ['pegboard agent --once "What did I commit today?" --json', 'one answer, for a script'],
    ['pegboard agent helper --session work', 'continue where you left off'],
    ['pegboard agent helper --once "Send the bills" --run bills-7', 'resume it with: pegboard runs resume bills-7'],
    ['pegboard agent --once "Tidy up" --inspect', 'approve its calls in the browser'],
  ],
  parse({ values, json, context }) {
    if (values.session === '') throw new UsageError('--session needs a name, such as --session work.', 'agent');
    if (values.run !== undefined && values.once === undefined && !json)
      throw new UsageError('--run stores the run of one question. Use it with --once.', 'agent');
    // The AI SDK would write its warnings to stdout, among the answer.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    const inbox = values.inspect ? new ApprovalInbox() : undefined;
    const asked = [inTurn(createApproval(context, values.yes)), inbox?.ask].filter((one) => one !== undefined);
    const shown: { inspector?: Inspector } = {};
    return { inbox, shown, approve: asked.length > 1 ? firstAnswer(asked) : asked[0] };
  },
  board: ({ parsed: { inbox, shown, approve } }) => ({
    // The model sees the tools that exist at the start.
    meet: 'new',
    approve,
    // Questions of servers go to the inspector, if it is open.
    ...(inbox && { elicit: (...question) => shown.inspector?.elicit(...question) ?? { action: 'decline' } }),
  }),
  async run({ values, positionals: [name], parsed: { inbox, shown }, json, context, board }) {
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
    const { openInspector } = await import('../../../cli/shared/board/open-inspector.ts');
    const inspector = (shown.inspector = await openInspector(board, inbox, context));
    return talk().finally(() => inspector.close());
  },
});
