import { agentAsTool } from '../../../agent/loop/run-agent.ts';
import { openSession, listSessions, type AgentSession } from '../../../agent/session/agent-session.ts';
import { selectTools } from '../../../agent/loop/select-tools.ts';
import { printLine, type CliContext } from '../../../cli/shared/cli-context.ts';
import type { ToolMetadata } from '../../../tool/tool-metadata.ts';
import { widthOf } from '../../../cli/shared/print/columns.ts';
import { listTools } from '../../../cli/shared/print/list-tools.ts';
import { createStyle } from '../../../cli/shared/print/style.ts';
import { formatUsage } from './print-event.ts';
import { redactorOf } from '../../../cli/shared/board/use-board.ts';
import type { Agent } from '../../../agent/define/agent.ts';
import type { Board } from '../../../board/board.ts';

export interface Chat {
  readonly board: Board;
  readonly agent: Agent;
  readonly context: CliContext;
  session: AgentSession;
}

const HELP = [
  '/tools           list the tools of this agent',
  '/search QUERY    find tools by what they do',
  '/session         show this conversation and the saved ones',
  '/session NAME    continue or start another conversation',
  '/clear           delete this conversation',
  '/exit            leave',
].join('\n');

/** Runs a line that begins with a slash. */
export async function runSlashCommand(line: string, chat: Chat): Promise<'exit' | 'done'> {
  const [command = '', ...words] = line.split(/\s+/);
  const rest = words.join(' ');
  const { context, board } = chat;
  switch (command) {
    case '/exit':
    case '/quit':
      return 'exit';
    case '/help':
      printLine(context.stdout, HELP);
      return 'done';
    case '/tools':
      printTools(
        [...selectTools(chat.agent, board.registry), ...chat.agent.agents.map((below) => agentAsTool(below))].map(
          ({ metadata }) => metadata,
        ),
        chat,
      );
      return 'done';
    case '/search':
      search(rest, chat);
      return 'done';
    case '/session':
      if (rest === '') await showSessions(chat);
      else await switchSession(rest, chat);
      return 'done';
    case '/clear':
      await chat.session.clear();
      printLine(context.stderr, 'Conversation deleted.');
      return 'done';
    default:
      printLine(context.stderr, `There is no command "${command}". /help lists them.`);
      return 'done';
  }
}

function printTools(tools: readonly ToolMetadata[], { board, context }: Pick<Chat, 'board' | 'context'>): void {
  const view = { style: createStyle(context.stdout, context.env), width: widthOf(context.stdout) };
  for (const line of listTools(tools, redactorOf(board), view)) printLine(context.stdout, line);
}

function search(query: string, { board, context }: Chat): void {
  const { hits, note } = board.index.rank(query);
  const found = hits.flatMap(({ name }) => board.registry.get(name)?.metadata ?? []);
  if (found.length > 0) printTools(found, { board, context });
  if (note !== undefined) printLine(context.stderr, note);
}

async function showSessions({ session, board, context }: Chat): Promise<void> {
  const { messages, usage } = await session.read();
  const name = session.name === '' ? 'This conversation is not saved (start with --session NAME)' : session.name;
  printLine(context.stdout, `${name}: ${messages.length} messages, ${formatUsage(usage)}`);
  for (const other of await listSessions(board.store)) {
    if (other.name !== session.name) printLine(context.stdout, `${other.name}: ${other.messages} messages`);
  }
}

async function switchSession(name: string, chat: Chat): Promise<void> {
  chat.session = openSession(chat.board.store, name);
  printLine(chat.context.stderr, `${name}: ${(await chat.session.read()).messages.length} messages`);
}
