#!/usr/bin/env node
import module from 'node:module';
import { openPipedInput } from './open-piped-input.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`pegboard needs Node 22.13 or later; this is ${process.version}.\n`);
  process.exit(1);
}
// Caches compiled code, so that the modules below load in a fraction of the time.
module.enableCompileCache();
if (process.argv[2] === 'serve') {
  const { serveFront } = await import('./serve-front.ts');
  const code = await serveFront(process.argv.slice(3), process.env);
  if (code !== undefined) process.exit(code);
}
const { gateNode, runCli } = await import('./run-cli.ts');
gateNode(process);

/** The signals that end a command, with their numbers. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 } as const;
/** Milliseconds that a command has to end; longer than its child processes get between TERM and KILL. */
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
  // A second signal exits immediately. Remaining child processes are killed on exit.
  if (stoppedBy !== undefined) process.exit(code);
  stoppedBy = code;
  // A server finishes its calls first, and ends by itself.
  if (stopServer !== undefined && signal !== 'SIGINT') return stopServer();
  stop.abort();
  if (stopServer === undefined) setTimeout(() => process.exit(code), PATIENCE).unref();
};
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.on(signal, () => end(signal));

/** Returns true when the reader is gone, as in `pegboard list | head`, or the terminal was closed. */
const isReaderGone = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED'].includes(code);
process.stdout.on('error', (error) => {
  if (!isReaderGone(error)) throw error;
  // The command ends by itself with its own exit code; one that never ends is stopped.
  stop.abort();
  setTimeout(() => process.exit(), PATIENCE).unref();
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
  onInterrupt: (listener) => {
    takeInterrupt = listener;
    return () => void (takeInterrupt = undefined);
  },
  onTerminate: (listener) => {
    stopServer = listener;
  },
});
// A server that ended on request has not failed.
process.exitCode = stoppedBy === undefined || (stopServer !== undefined && !stop.signal.aborted) ? exitCode : stoppedBy;
// Timers left by tools must not keep the process of an ended server alive.
if (process.argv[2] === 'serve') process.exit();
// Stopped commands get time to clean up; nothing else keeps the process alive.
if (stoppedBy !== undefined) setTimeout(() => process.exit(), PATIENCE).unref();
