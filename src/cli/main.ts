#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Compiled once, not at every start: the modules below load in a fraction of the time.
enableCompileCache();
const { runCli } = await import('./run-cli.ts');

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
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
  onTerminate: (listener) => process.once('SIGTERM', listener),
});
process.exitCode = stop.signal.aborted ? 130 : exitCode;
// A server is over when it says so, whatever timers its tools left behind.
if (process.argv[2] === 'serve') process.exit();
