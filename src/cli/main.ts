#!/usr/bin/env node
import module from 'node:module';

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
} else {
  const { commandFront } = await import('./command-front.ts');
  const code = await commandFront(process.argv.slice(2), {
    loadQuestions: () => import('./front/ask-caller.ts'),
    loadFailures: () => import('./run-command-line.ts'),
  });
  if (code !== undefined) process.exit(code);
}
const { runCommandLine } = await import('./run-command-line.ts');
await runCommandLine();
