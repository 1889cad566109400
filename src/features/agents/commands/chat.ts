import { countTools } from '../../../cli/shared/board/list-board.ts';
import { createInterface } from 'node:readline';
import { streamAgent } from '../../../agent/loop/run-agent.ts';
import { type CliContext, printLine } from '../../../cli/shared/cli-context.ts';
import { gateText, ungated } from '../../../cli/shared/print/gate-output.ts';
import { createStyle } from '../../../cli/shared/print/style.ts';
import { type Chat, runSlashCommand } from './slash-commands.ts';
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
