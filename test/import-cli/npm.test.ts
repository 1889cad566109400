import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBoard, type ImportedBoard, type RootedCall } from './import-board.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  ['npm install', 'npm_install', {}],
  ['npm install zod vitest --save-dev', 'npm_install', { package_spec: ['zod', 'vitest'], save_dev: true }],
  [
    'npm install typescript --save-exact --global',
    'npm_install',
    { package_spec: ['typescript'], global: true, save_exact: true },
  ],
  ['npm install --omit=dev --omit=optional', 'npm_install', { omit: ['dev', 'optional'] }],
  [
    'npm install --ignore-scripts --no-audit --no-fund',
    'npm_install',
    { ignore_scripts: true, audit: false, fund: false },
  ],
  ['npm ci --omit=dev', 'npm_ci', { omit: ['dev'] }],
  ['npm run build', 'npm_run', { command: 'build' }],
  [
    'npm run test --if-present -- --watch src',
    'npm_run',
    { command: 'test', if_present: true, args: ['--watch', 'src'] },
  ],
  ['npm run lint --workspace=a --workspace=b', 'npm_run', { command: 'lint', workspace: ['a', 'b'] }],
  ['npm test -- --bail', 'npm_test', { args: ['--bail'] }],
  ['npm ls --all --json --depth=1', 'npm_ls', { all: true, json: true, depth: 1 }],
  ['npm ls zod', 'npm_ls', { package_spec: 'zod' }],
  ['npm outdated --json', 'npm_outdated', { json: true }],
  ['npm update --save', 'npm_update', { save: true }],
  ['npm uninstall zod', 'npm_uninstall', { pkg: ['zod'] }],
  ['npm view zod version --json', 'npm_view', { package_spec: 'zod', field: ['version'], json: true }],
  ['npm pack --dry-run --json', 'npm_pack', { dry_run: true, json: true }],
  ['npm publish --tag=next --access=public --dry-run', 'npm_publish', { access: 'public', tag: 'next', dry_run: true }],
  ['npm version minor --no-git-tag-version', 'npm_version', { newversion: 'minor', git_tag_version: false }],
  ['npm config get registry', 'npm_config_get', { key: ['registry'] }],
  [
    'npm config set fund=false --location=project',
    'npm_config_set',
    { key_value: ['fund=false'], location: 'project' },
  ],
  ['npm pkg get name version', 'npm_pkg_get', { key: ['name', 'version'] }],
  ['npm cache verify', 'npm_cache_verify', {}],
  ['npm audit --audit-level=high', 'npm_audit', { audit_level: 'high' }],
];

describe('import of npm', () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    const only = new Set(LINES.map(([, tool]) => tool.split('_')[1] ?? ''));
    imported = await importBoard(['npm'], { only: [...only].map((name) => (name === 'run' ? 'run*' : name)) });
  });
  afterAll(() => imported.close());

  it('holds what is of this machine to the roots of a policy, and lets pass what is not', async () => {
    const allowed: RootedCall[] = [
      ['npm_install', { package_spec: ['zod@4', '@types/node', 'https://example.com/x.tgz', './x', 'user/repo'] }],
    ];
    const outside: RootedCall[] = [
      ['npm_install', { package_spec: ['../x'] }],
      ['npm_install', { package_spec: ['x@file:/etc'] }],
      ['npm_install', { package_spec: ['/etc/x.tgz'] }],
    ];
    expect(await imported.refused([...allowed, ...outside])).toEqual(outside);
  });

  it('says what is meant by a name that it does not have', async () => {
    const { text } = await imported.board.call('npm_install', { name: 'zod' });
    expect(text).toContain('- name: is not a known argument. The positional argument is: package_spec.\n');
  });

  it.each(LINES)('%s', async (line, tool, input) => {
    // Up to npm 10 the whole name of the subcommand is run-script.
    const isOld = tool === 'npm_run' && !imported.board.registry.has(tool);
    const made = await imported.lineOf(isOld ? 'npm_run-script' : tool, input);
    expect(isOld ? made.replace('npm run-script', 'npm run') : made).toBe(line);
  });

  it('guesses what only looks and what destroys', () => {
    const risks = Object.fromEntries(imported.tools.map(({ name, risk }) => [name, risk]));
    expect(risks).toMatchObject({
      npm_ls: 'read',
      npm_view: 'read',
      npm_config_get: 'read',
      npm_uninstall: 'destructive',
      npm_install: 'destructive',
    });
  });

  it('runs for real what needs no network', async () => {
    writeFileSync(join(imported.folder, 'package.json'), '{"name":"engine","version":"1.2.3"}');
    expect(await imported.board.call('npm_pkg_get', { key: ['version'] })).toMatchObject({
      ok: true,
      text: expect.stringContaining('1.2.3'),
    });
  });
});
