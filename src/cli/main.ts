#!/usr/bin/env node
import module from 'node:module';
import { openPipedInput } from './open-piped-input.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`pegboard needs Node 22.13 or later; this is ${process.version}.\n`);
  process.exit(1);
}
// Compiled once, not at every start: the modules below load in a fraction of the time.
module.enableCompileCache();
const { gateNode, runCli } = await import('./run-cli.ts');
gateNode(process);

/** The signals that ask the command to end, with their numbers. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 } as const;
/** Milliseconds for a command that was asked to end; longer than its own commands get between TERM and KILL. */
const PATIENCE = 3000;

const stop = new AbortController();
let takeInterrupt: (() => void) | undefined;
let stopServer: (() => void) | undefined;
/** The exit code of the first signal. */
let stoppedBy: number | undefined;

const end = (signal: keyof typeof SIGNALS): void => {
  const taken = signal === 'SIGINT' ? takeInterrupt : undefined;
  takeInterrupt = undefined;
  if (taken !== undefined) return taken();
  const code = 128 + SIGNALS[signal];
  // A second signal: do not wait. What still runs is killed on the way out.
  if (stoppedBy !== undefined) process.exit(code);
  stoppedBy = code;
  // A server has calls to finish, and says itself when it is done.
  if (stopServer !== undefined && signal !== 'SIGINT') return stopServer();
  stop.abort();
  if (stopServer === undefined) setTimeout(() => process.exit(code), PATIENCE).unref();
};
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.on(signal, () => end(signal));

/** Tells that the reader went away, as in `pegboard list | head`, or that the terminal was closed. */
const isReaderGone = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED'].includes(code);
process.stdout.on('error', (error) => {
  if (!isReaderGone(error)) throw error;
  // What is not read any more is not printed; the command ends by itself, with its own exit code. One that never ends is asked to.
  stop.abort();
  setTimeout(() => process.exit(), PATIENCE).unref();
});
let hasStderr = false;

const exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  // Opened when they are used: most commands need neither.
  get stdin() {
    return process.stdin;
  },
  openPipedInput,
  get stderr() {
    if (!hasStderr) {
      hasStderr = true;
      // A command goes on when its stderr is no longer read.
      process.stderr.on('error', (error) => {
        if (!isReaderGone(error)) throw error;
      });
    }
    return process.stderr;
  },
  env: process.env,
  cwd: process.cwd(),
  signal: stop.signal,
  onInterrupt: (listener) => {
    takeInterrupt = listener;
    return () => void (takeInterrupt = undefined);
  },
  onTerminate: (listener) => {
    stopServer = listener;
  },
});
// A server that was asked to end and did so has not failed.
process.exitCode = stoppedBy === undefined || (stopServer !== undefined && !stop.signal.aborted) ? exitCode : stoppedBy;
// A server has ended: timers that its tools left must not keep the process.
if (process.argv[2] === 'serve') process.exit();
// Commands that were told to end get their time to clean up; nothing else keeps a process that was asked to go.
if (stoppedBy !== undefined) setTimeout(() => process.exit(), PATIENCE).unref();
