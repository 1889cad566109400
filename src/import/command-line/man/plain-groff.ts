import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs whose help is a manual page that they write themselves: `aws s3 cp help`. */
const PROGRAMS = new Set(['aws']);

/** Whether a command's help is a manual page of its own making. */
export function hasRoffHelp([program = '']: readonly string[]): boolean {
  return PROGRAMS.has(program.split('/').at(-1) ?? '');
}

/**
 * Makes a folder with a `groff` that hands its input on. AWS's help goes through `groff`, which few machines have and
 * which takes away what the source says; with this one first in `PATH` the source comes out. Gone when the process ends.
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
