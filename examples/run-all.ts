// Runs every other example in a separate process, and fails when any of them fails.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const files = readdirSync(import.meta.dirname).filter(
  (file) => file.endsWith('.ts') && file !== basename(import.meta.filename),
);
let failures = 0;
for (const file of files.toSorted()) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, file)], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'failed'} ${file.padEnd(24)} ${seconds} s`);
  if (status === 0) continue;
  failures += 1;
  console.log(`${stdout}${stderr}`.replaceAll(/^/gm, '       '));
}
console.log(
  failures === 0 ? `\nAll ${files.length} examples passed.` : `\n${failures} of ${files.length} examples failed.`,
);
process.exitCode = failures === 0 ? 0 : 1;
