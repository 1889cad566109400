#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Compiled once, not at every start: the modules below load in a fraction of the time.
enableCompileCache();
const { runCli } = await import('./run-cli.ts');

const stop = new AbortController();
let takeInterrupt: (() => void) | undefined;
process.on('SIGINT', function interrupt() {
  const taken = takeInterrupt;
  takeInterrupt = undefined;
  if (taken !== undefined) return taken();
  // Whoever presses it again does not want to wait.
  process.off('SIGINT', interrupt);
  stop.abort();
});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read from us went away: `pegboard list | head`.
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  // Opened when they are used: most commands need neither.
  get stdin() {
    return process.stdin;
  },
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  cwd: process.cwd(),
  signal: stop.signal,
  onInterrupt: (listener) => {
    takeInterrupt = listener;
    return () => void (takeInterrupt = undefined);
  },
  onTerminate: (listener) => process.once('SIGTERM', listener),
});
process.exitCode = stop.signal.aborted ? 130 : exitCode;
// A server is over when it says so, whatever timers its tools left behind.
if (process.argv[2] === 'serve') process.exit();
