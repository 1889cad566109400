import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { launchCommand, warnOfLaunch } from './launch-command.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'launch-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A copy of the package in a folder; gives where its code lies. */
function install(...path: string[]): string {
  const folder = join(root, ...path, 'pegboard');
  mkdirSync(join(folder, 'dist'), { recursive: true });
  const manifest = { name: 'pegboard', version: '1.2.3', bin: { pegboard: './dist/cli.js' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'dist/cli.js'), '');
  return join(folder, 'dist');
}

it.for([['project', 'node_modules'], ['checkout'], ['.npm', '_npx', 'abc', 'node_modules']])(
  'starts Node with the file of the copy that runs: %j',
  (path) => {
    const dist = install(...path);
    expect(launchCommand(dist)).toMatchObject({ command: process.execPath, args: [join(dist, 'cli.js')] });
  },
);

it('starts the sources of a checkout', () => {
  const dist = install('sources');
  const sources = join(dirname(dist), 'src');
  expect(launchCommand(join(sources, 'cli/shared/clients')).args).toEqual([join(sources, 'cli/main.ts')]);
});

it('names the path in a pnpm project that an update keeps', () => {
  const modules = join(root, 'desk/node_modules');
  const dist = install('desk', 'node_modules', '.pnpm', 'pegboard@1.2.3', 'node_modules');
  expect(launchCommand(dist).args).toEqual([join(dist, 'cli.js')]);
  symlinkSync(dirname(dist), join(modules, 'pegboard'));
  expect(launchCommand(dist).args).toEqual([join(modules, 'pegboard/dist/cli.js')]);
});

it.for([
  [['.npm', '_npx', 'def', 'node_modules'], 'the cache of a package runner'],
  [['cache', 'dlx-123', 'node_modules'], 'the cache of a package runner'],
  [['elsewhere', 'node_modules'], 'a temporary folder'],
] as const)('warns of a copy that will be cleaned: %j', ([path, place]) => {
  const launch = launchCommand(install(...path));
  expect(warnOfLaunch(launch, ['/home/ada/pegboard.yaml'])).toEqual([
    `The entry starts ${launch.args[0]}, which is in ${place}: it stops working when that is cleaned. Install Pegboard with "npm install -g pegboard", and run this command again with the installed one.`,
  ]);
});

it('does not warn of a temporary copy for a board in a temporary folder', () => {
  const launch = launchCommand(install('third', 'node_modules'));
  expect(warnOfLaunch(launch, [join(root, 'pegboard.yaml')])).toEqual([]);
});
