import { openPipedInput } from './open-piped-input.ts';
import { ToolError } from '../tool/tool-error.ts';
import { gateNode, reportFailure, runCli, wantsJson } from './run-cli.ts';
import { gateContext } from './shared/cli-context.ts';
import { CommandStop, isReaderGone, STOP_PATIENCE, STOP_SIGNALS, type StopSignal } from './shared/command-stop.ts';

/** Runs the command line of this process, and sets its exit code. */
export async function runCommandLine(): Promise<void> {
  gateNode(process);
  const stop = new CommandStop();
  const end = (signal: StopSignal): void => {
    const code = 128 + STOP_SIGNALS[signal];
    const heard = stop.receive(signal);
    // A second signal exits immediately. Remaining child processes are killed on exit.
    if (heard === 'again') process.exit(code);
    if (heard === 'stopped') setTimeout(() => process.exit(code), STOP_PATIENCE).unref();
  };
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.on(signal, () => end(signal));
  process.stdout.on('error', (error) => {
    if (!isReaderGone(error)) throw error;
    // The command ends by itself with its own exit code; one that never ends is stopped.
    stop.cancel();
    setTimeout(() => process.exit(), STOP_PATIENCE).unref();
  });
  let hasStderr = false;
  const exitCode = await runCli(process.argv.slice(2), {
    stdout: process.stdout,
    // Opened on first use: most commands need neither.
    get stdin() {
      return process.stdin;
    },
    openPipedInput,
    get stderr() {
      if (!hasStderr) {
        hasStderr = true;
        // A command continues when nobody reads its stderr.
        process.stderr.on('error', (error) => {
          if (!isReaderGone(error)) throw error;
        });
      }
      return process.stderr;
    },
    env: process.env,
    cwd: process.cwd(),
    signal: stop.signal,
    onInterrupt: stop.onInterrupt,
    onTerminate: stop.onTerminate,
    runCommand: runCli,
  });
  process.exitCode = stop.exitCode(exitCode);
  // Timers left by tools must not keep the process of an ended server alive.
  if (process.argv[2] === 'serve') process.exit();
  // Stopped commands get time to clean up; nothing else keeps the process alive.
  if (stop.stoppedBy !== undefined) setTimeout(() => process.exit(), STOP_PATIENCE).unref();
}

/** Prints that the board which ran a command line has ended, and returns the exit code. */
export function reportLoss(args: readonly string[]): Promise<number> {
  const { stdin, stdout, stderr, env } = process;
  const context = gateContext({ stdin, stdout, stderr, env, cwd: process.cwd(), signal: new AbortController().signal });
  const message =
    'The board that ran this command ended before the command was done. It may have had effects: check before you repeat it.';
  return reportFailure(new ToolError({ code: 'outcome_unknown', message }), context, wantsJson(args));
}
