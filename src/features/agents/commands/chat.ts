import { createInterface } from 'node:readline';
import type { Agent } from '../../../agent/define/agent.ts';
import { agentAsTool, streamAgent } from '../../../agent/loop/run-agent.ts';
import { selectTools } from '../../../agent/loop/select-tools.ts';
import { type AgentSession, listSessions, openSession } from '../../../agent/session/agent-session.ts';
import type { Board } from '../../../board/board.ts';
import { countTools } from '../../../cli/shared/board/list-board.ts';
import { redactorOf } from '../../../cli/shared/board/use-board.ts';
import { type CliContext, printLine } from '../../../cli/shared/cli-context.ts';
import { widthOf } from '../../../cli/shared/print/columns.ts';
import { gateText, ungated } from '../../../cli/shared/print/gate-output.ts';
import { listTools } from '../../../cli/shared/print/list-tools.ts';
import { createStyle } from '../../../cli/shared/print/style.ts';
import type { ToolMetadata } from '../../../tool/tool-metadata.ts';
import { createEventPrinter, formatUsage } from './print-event.ts';

/** Chats until the person leaves or the input ends. Returns the exit code: that of the last answer for piped input. */
export async function runChat(chat: Chat): Promise<number> {
  const { context, agent, session, board } = chat;
  const isTerminal = context.stdin.isTTY === true;
  if (isTerminal) {
    const { messages } = await session.read();
    const earlier = messages.length === 0 ? '' : `, ${messages.length} earlier messages`;
    printLine(
      context.stderr,
      `${agent.name}: ${countTools(board.registry)} on the board${earlier}. /help for commands, /exit to leave.`,
    );
  }
  let code = 0;
  for await (const line of isTerminal ? askLines(context) : readLines(context)) {
    const said = line.trim();
    if (said === '') continue;
    if (said.startsWith('/')) {
      if ((await runSlashCommand(said, chat)) === 'exit') break;
    } else code = await answer(said, chat);
    if (context.signal.aborted) break;
  }
  return isTerminal ? 0 : code;
}

async function answer(said: string, { board, agent, context, session }: Chat): Promise<number> {
  const onEvent = createEventPrinter(context, agent.name);
  const stop = new AbortController();
  // Ctrl-C at a terminal stops the answer, not the conversation; a program that sends it means the whole command.
  const release = context.stdin.isTTY === true ? context.onInterrupt?.(() => stop.abort()) : undefined;
  const { result } = streamAgent(agent, said, {
    board,
    session,
    onEvent,
    signal: AbortSignal.any([context.signal, stop.signal]),
    env: context.env,
  });
  const ended = await result.finally(release);
  const style = createStyle(context.stderr, context.env);
  if (context.stderr.isTTY === true) printLine(context.stderr, style.dim(formatUsage(ended.usage)));
  if (ended.ok) return 0;
  printLine(context.stderr, `${style.red(ended.outcome)} ${ended.reason}`);
  return 1;
}

/** Reads lines that a program sends. */
async function* readLines({ stdin, signal }: CliContext): AsyncGenerator<string, void> {
  const lines = createInterface({ input: stdin, terminal: false, signal });
  yield* lines;
}

/** Reads lines that a person types; between them the terminal is free for questions. */
async function* askLines({ stdin, stdout, env, signal }: CliContext): AsyncGenerator<string, void> {
  const style = createStyle(stdout, env);
  while (!signal.aborted) {
    const lines = await new Promise<string[]>((settle) => {
      const typed: string[] = [];
      const prompt = createInterface({ input: stdin, output: ungated(stdout), terminal: true, signal });
      // Ctrl-C and Ctrl-D leave.
      prompt.on('SIGINT', () => prompt.close());
      prompt.on('close', () => settle(typed));
      prompt.on('line', (line) => {
        typed.push(line);
        // Pasted lines arrive together: collect them all before closing.
        setImmediate(() => prompt.close());
      });
      prompt.setPrompt(gateText(style.cyan('> ')));
      prompt.prompt();
    });
    if (lines.length === 0) return;
    yield* lines;
  }
}

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
async function runSlashCommand(line: string, chat: Chat): Promise<'exit' | 'done'> {
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
