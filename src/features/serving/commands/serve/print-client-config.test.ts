import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { launchCommand } from './print-client-config.ts';

const root = mkdtempSync(join(tmpdir(), 'launch-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A copy of the package in a folder; gives where its code lies. */
function install(...path: string[]): string {
  const folder = join(root, ...path, 'pegboard');
  mkdirSync(join(folder, 'dist'), { recursive: true });
  const manifest = { name: 'pegboard', version: '1.2.3', bin: { pegboard: './dist/cli.js' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  return join(folder, 'dist');
}

it('starts the copy that is installed', () => {
  const dist = install('project', 'node_modules');
  expect(launchCommand(dist)).toEqual({ command: process.execPath, args: [join(dist, 'cli.js')] });
});

it.for([['checkout'], ['.npm', '_npx', 'abc', 'node_modules'], ['cache', 'dlx-123', 'node_modules']])(
  'pins the version of one that is not: %j',
  (path) => {
    expect(launchCommand(install(...path))).toEqual({ command: 'npx', args: ['-y', 'pegboard@1.2.3'] });
  },
);
