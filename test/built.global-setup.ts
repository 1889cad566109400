// Bundles the command line and the servers of tests once for all tests: processes start several times quicker than from the sources.
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { bundleCode } from '../scripts/bundle.ts';
import { findMissingParts } from '../scripts/test-set-up/parts.ts';

const root = join(import.meta.dirname, '..');

/** The files that a package has next to `dist/`, in a folder of this run alone. */
let folder = '';
let state = '';

export async function setup(project: TestProject): Promise<void> {
  project.provide('missingParts', await findMissingParts());
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache/built-'));
  for (const name of readdirSync(root)) {
    if (!['.cache', '.git', 'dist', 'node_modules'].includes(name)) symlinkSync(join(root, name), join(folder, name));
  }
  await Promise.all([bundleCode(join(folder, 'dist')), bundleServers(join(folder, 'servers'))]);
  // Programs that tests start read what was compiled before, sources too.
  process.env['NODE_COMPILE_CACHE'] ??= join(root, '.cache/compiled');
  // Boards of tests keep their data there, and not among those of the person who runs them.
  process.env['XDG_STATE_HOME'] = state = mkdtempSync(join(tmpdir(), 'pegboard-state-'));
  process.env['PEGBOARD_TEST_CLI'] = join(folder, 'dist/cli.js');
  // Tests of shared boards ask for them, and end them.
  process.env['PEGBOARD_STANDALONE'] = '1';
}

/** Writes the programs of `fixtures/mcp` with the packages they use, which take most of them longer to load than to answer. */
async function bundleServers(to: string): Promise<void> {
  await build({
    cwd: root,
    input: globSync('test/fixtures/mcp/*.ts', { cwd: root }),
    platform: 'node',
    output: { dir: to, format: 'esm' },
    logLevel: 'silent',
  });
}

export function teardown(): void {
  for (const made of [folder, state]) rmSync(made, { recursive: true, force: true });
}
