import type { Socket } from 'node:net';
import type { CallerMessage, CommandLine } from '../../../../../mcp/front/command-messages.ts';
import { formatControl } from '../../../../../mcp/front/control-line.ts';
import type { RunningBoard } from '../../../../../cli/shared/board/lend-board.ts';
import type { CliContext } from '../../../../../cli/shared/cli-context.ts';
import { CommandStop, STOP_PATIENCE, STOP_SIGNALS } from '../../../../../cli/shared/command-stop.ts';
import { CallerApproval } from './caller-approval.ts';
import { CallerLink } from './caller-link.ts';

interface RunOptions {
  /** The context of the process that serves the board. */
  readonly context: CliContext;
  readonly running: RunningBoard;
  /** Aborts when the board stops. */
  readonly signal: AbortSignal;
  /** Milliseconds for the command to end after `signal`. */
  readonly grace: () => number;
}

/** Runs the command line of another process on a board of this one. Ends with the command, at the latest a while after the other process. */
export async function runForCaller(socket: Socket, line: CommandLine, options: RunOptions): Promise<void> {
  const late = Promise.withResolvers<void>();
  socket.once('close', () => setTimeout(late.resolve, STOP_PATIENCE).unref());
  await Promise.race([runConnected(socket, line, options), late.promise]);
}

async function runConnected(socket: Socket, line: CommandLine, options: RunOptions): Promise<void> {
  const { context, running, signal, grace } = options;
  const stop = new CommandStop();
  socket.write(formatControl({ type: 'running', pid: process.pid }));
  const link = new CallerLink(socket, line.streams);
  const approval = new CallerApproval((message) => link.send(message));
  link.open({
    onMessage: (message) => take(message, { stop, link, approval }),
    onLeave: () => {
      approval.close();
      stop.cancel();
    },
  });
  const release = stopWithBoard(stop, { signal, grace, socket });
  try {
    const code = await runLine(line, {
      stdin: link.stdin,
      stdout: link.stdout,
      stderr: link.stderr,
      env: { ...context.env, ...ownVariables(line) },
      cwd: line.folder,
      signal: stop.signal,
      onInterrupt: stop.onInterrupt,
      onTerminate: stop.onTerminate,
      runCommand: context.runCommand,
      running,
      approve: approval.approve,
    });
    await link.exit(stop.exitCode(code));
  } finally {
    release();
    approval.close();
    link.close();
  }
}

async function runLine({ args }: CommandLine, context: CliContext): Promise<number> {
  try {
    return (await context.runCommand?.(args, context)) ?? 1;
  } catch {
    // The reader of its outputs is gone.
    return 1;
  }
}

function ownVariables({ env }: CommandLine): CliContext['env'] {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? undefined]));
}

interface Parts {
  readonly stop: CommandStop;
  readonly link: CallerLink;
  readonly approval: CallerApproval;
}

function take(message: CallerMessage, { stop, link, approval }: Parts): void {
  if (message.type === 'answer') approval.answer(message.id, message.answers);
  else if (message.type === 'closed') stop.cancel();
  else if (message.type === 'signal') {
    const name = Object.keys(STOP_SIGNALS).find((one): one is keyof typeof STOP_SIGNALS => one === message.signal);
    const heard = name === undefined ? 'again' : stop.receive(name);
    if (heard !== 'again') link.send({ type: 'heard', as: heard });
  }
}

/** Ends a command with its board: a server by itself, others when `grace` is over. */
function stopWithBoard(
  stop: CommandStop,
  { signal, grace, socket }: Pick<RunOptions, 'signal' | 'grace'> & { readonly socket: Socket },
): () => void {
  const timers: NodeJS.Timeout[] = [];
  const end = (): void => {
    stop.cancel();
    timers.push(setTimeout(() => socket.destroy(), STOP_PATIENCE));
  };
  const leave = (): void => {
    if (!stop.askServer()) timers.push(setTimeout(end, grace()));
  };
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  return () => {
    signal.removeEventListener('abort', leave);
    for (const timer of timers) clearTimeout(timer);
  };
}
