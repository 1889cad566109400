import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a folder with a `groff` that hands its input on. Help that is a manual page goes through `groff`, which few machines
 * have and which drops what the source says; with this one first in `PATH` the source is printed. Gone when the process ends.
 */
export function makePlainGroff(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-groff-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['groff', 'mandoc']) {
    const file = join(folder, name);
    writeFileSync(file, '#!/bin/sh\nexec cat\n');
    chmodSync(file, 0o755);
  }
  return folder;
}
