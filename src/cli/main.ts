#!/usr/bin/env node
import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`pegboard needs Node 22.13 or later; this is ${process.version}.\n`);
  process.exit(1);
}
// Compiled once, not at every start: the modules below load in a fraction of the time.
module.enableCompileCache();
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
