// Bundles the command line once for all tests: processes start several times quicker than from the sources, and are what people run.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { bundleCode } from '../scripts/bundle.ts';

const root = join(import.meta.dirname, '..');

/** What a package has next to `dist/`, in a folder of this run alone. */
let folder = '';

export async function setup(): Promise<void> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache/built-'));
  for (const name of readdirSync(root)) {
    if (!['.cache', '.git', 'dist', 'node_modules'].includes(name)) symlinkSync(join(root, name), join(folder, name));
  }
  await bundleCode(join(folder, 'dist'));
  // Programs that tests start read what was compiled before, sources too.
  process.env['NODE_COMPILE_CACHE'] ??= join(root, '.cache/compiled');
  process.env['PEGBOARD_TEST_CLI'] = join(folder, 'dist/cli.js');
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
