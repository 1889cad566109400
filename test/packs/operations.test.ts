// npm, systemd, docker and kubectl. The last two have no machine to work on here: what they would start is looked at.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBoard } from '../../src/index.ts';
import { openPack, PACKS } from './open-pack.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

describe('the pack npm, with npm', () => {
  const project = JSON.stringify({
    name: 'x',
    version: '1.0.0',
    scripts: { preinstall: 'touch sprung', postinstall: 'touch sprung', prepare: 'touch sprung', hello: 'echo hello' },
  });

  it('lists and runs scripts, and installs without running any', async () => {
    const { call, board, folder, write } = await openPack('npm');
    write('package.json', project);
    write('package-lock.json', JSON.stringify({ name: 'x', version: '1.0.0', lockfileVersion: 3, packages: {} }));
    expect((await board.call('npm_scripts')).data).toMatchObject({ hello: 'echo hello' });
    expect(await call('npm_ci')).not.toMatch(/^execution_failed/);
    expect(await call('npm_install')).not.toMatch(/^execution_failed/);
    expect(existsSync(join(folder, 'sprung'))).toBe(false);
    expect((await board.call('npm_list')).data).toMatchObject({ name: 'x' });
    expect(await call('npm_run', { script: 'hello', arguments: ['; touch sprung', '$(touch sprung)'] })).toContain(
      'hello',
    );
    expect(existsSync(join(folder, 'sprung'))).toBe(false);
  });

  it('starts no program that the settings of a project name, and no script of a dependency', async () => {
    const { call, folder, write } = await openPack('npm');
    write('trap', `#!/bin/sh\ntouch ${folder}/sprung\nexit 1\n`);
    chmodSync(join(folder, 'trap'), 0o755);
    // Up to npm 10, --ignore-scripts does not hold for the prepare of what comes from git (docs/packs.md).
    const isOld = Number.parseInt(execFileSync('npm', ['--version'], { encoding: 'utf8' }), 10) < 11;
    const dependency = isOld ? project.replace('"prepare"', '"unused"') : project;
    write('dependency/package.json', dependency.replaceAll('touch sprung', `touch ${folder}/sprung`));
    const git = (...args: string[]): void => {
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=a@example.com', ...args], {
        cwd: join(folder, 'dependency'),
        stdio: 'ignore',
      });
    };
    git('init');
    git('add', '.');
    git('commit', '-m', 'x');
    const dependencies = { x: `git+file://${folder}/dependency` };
    write('package.json', JSON.stringify({ name: 'y', version: '1.0.0', dependencies }));
    write('.npmrc', `git=${folder}/trap\nscript-shell=${folder}/trap\nignore-scripts=false\n`);
    for (const tool of ['npm_install', 'npm_outdated', 'npm_list', 'npm_scripts', 'npm_ci'] as const) {
      await call(tool);
      expect({ tool, isSprung: existsSync(join(folder, 'sprung')) }).toEqual({ tool, isSprung: false });
    }
    await call('npm_uninstall', { packages: ['x'] });
    expect(existsSync(join(folder, 'sprung'))).toBe(false);
  });

  it.for([
    ['npm_install', { packages: ['git+ssh://git@evil.example/x.git'] }],
    ['npm_install', { packages: ['evil/x'] }],
    ['npm_install', { packages: ['https://evil.example/x.tgz'] }],
    ['npm_install', { packages: ['file:../x'] }],
    ['npm_install', { packages: ['../x'] }],
    ['npm_install', { packages: ['x@npm:evil'] }],
    ['npm_install', { packages: ['--ignore-scripts=false'] }],
    ['npm_install', { project: '..' }],
    ['npm_view', { package: '--registry=https://evil.example' }],
    ['npm_view', { package: 'x', fields: ['--registry=https://evil.example'] }],
    ['npm_search', { words: ['--registry=https://evil.example'] }],
    ['npm_list', { packages: ['--prefix=/'] }],
    ['npm_uninstall', { packages: ['--global'] }],
    ['npm_run', { script: '--script-shell=./trap' }],
  ] as const)('refuses %s %j before npm starts', async ([tool, args]) => {
    const { call, write } = await openPack('npm');
    write('package.json', project);
    expect(await call(tool, args)).toMatch(/^invalid_arguments/);
  });
});

describe('the pack systemd', () => {
  it.for([
    ['systemd_start', { units: ['/tmp/evil.service'] }],
    ['systemd_start', { units: ['../evil.service'] }],
    ['systemd_restart', { units: ['--root=/tmp'] }],
    ['systemd_stop', { units: ['-H', 'evil.example'] }],
    ['systemd_status', { units: ['--host=evil.example'] }],
    ['systemd_unit_file', { units: ['/etc/shadow'] }],
    ['systemd_show', { units: ['x'], properties: ['A --root=/'] }],
    ['systemd_logs', { unit: ['--file=/etc/passwd'] }],
    ['systemd_logs', { since: '-x --file=/etc/passwd' }],
    ['systemd_units', { patterns: ['--root=/tmp'] }],
  ] as const)('refuses %s %j before anything starts', async ([tool, args]) => {
    const { call } = await openPack('systemd');
    expect(await call(tool, args)).toMatch(/^invalid_arguments/);
  });

  it('gives systemctl and journalctl only flags that they know, and no pager', needs('systemctl'), async () => {
    const { board } = await openPack('systemd', { SYSTEMD_PAGER: './trap', PAGER: './trap' });
    for (const { metadata } of board.registry.getAll().filter((tool) => tool.metadata.source === 'systemd')) {
      // Only what looks: a machine that runs the tests may have systemd.
      if (metadata.risk !== 'read') continue;
      const { text } = await board.call(metadata.name, Object(metadata.examples?.[0]?.input));
      expect(text).not.toMatch(/unrecognized|unknown|invalid option|ambiguous/i);
    }
  });
});

describe('the pack docker', () => {
  it.for([
    ['docker_run', { image: '-v/:/host', command: ['alpine'] }],
    ['docker_run', { image: '--privileged' }],
    ['docker_run', { image: 'alpine', env: { '-v': '/:/host' } }],
    ['docker_run', { image: 'alpine', command: ['--privileged'] }],
    ['docker_run', { image: 'alpine', volume: ['/:/host'] }],
    ['docker_run', { image: 'alpine', privileged: true }],
    ['docker_exec', { container: '--privileged', command: ['sh'] }],
    ['docker_exec', { container: 'web', command: ['--user=0', 'sh'] }],
    ['docker_logs', { container: '-f' }],
    ['docker_logs', { container: 'web', host: 'tcp://evil.example' }],
    ['docker_inspect', { containers: ['--format={{.}}'] }],
    ['docker_rm', { containers: ['--force', 'web'] }],
    ['docker_rm', { containers: ['-v', 'web'] }],
    ['docker_pull', { image: '--all-tags' }],
    ['docker_pull', { image: 'alpine', platform: '--all-tags' }],
  ] as const)('refuses %s %j before docker starts', async ([tool, args]) => {
    const { call } = await openPack('docker');
    expect(await call(tool, args)).toMatch(/^invalid_arguments/);
  });

  it('runs containers without network, folders and privileges, whatever the call asks for', async () => {
    const { board } = await openPack('docker');
    const { steps } = await board.dryRun('docker_run', {
      image: 'alpine',
      command: ['mount', '-v', '/:/host'],
      read_only: true,
    });
    expect(steps).toMatchObject([
      {
        argv: 'docker run --rm --network=none --cap-drop=ALL --security-opt=no-new-privileges --pids-limit=256 --memory=1g --cpus=2 --read-only alpine mount -v /:/host'.split(
          ' ',
        ),
      },
    ]);
  });

  it('asks a person before it runs or removes something', needs('docker'), async () => {
    const asked: string[] = [];
    const board = await openBoard({
      files: join(PACKS, 'docker.yaml'),
      data: mkdtempSync(join(tmpdir(), 'pegboard-docker-')),
      policy: { approval: { global: 'destructive' } },
      approve: async ({ message }) => {
        asked.push(message);
        return false;
      },
    });
    const results = await Promise.all([
      board.call('docker_run', { image: 'alpine', command: ['id'] }),
      board.call('docker_exec', { container: 'web', command: ['id'] }),
      board.call('docker_rm', { containers: ['web'] }),
    ]);
    await board.close();
    expect(results.map(({ error }) => error?.code)).toEqual(Array(3).fill('permission_denied'));
    expect(asked[0]).toContain('Run ["id"] in a new container of "alpine"?');
  });
});

describe('the pack kubectl', () => {
  it.for([
    ['kubectl_get', { resource: 'secrets' }],
    ['kubectl_get', { resource: 'secret' }],
    ['kubectl_get', { resource: 'pods,secrets' }],
    ['kubectl_get', { resource: 'pods', names: ['secrets/db'] }],
    ['kubectl_get', { resource: 'pods', output: 'go-template-file=../secret.txt' }],
    ['kubectl_get', { resource: 'pods', output: 'jsonpath={.items}' }],
    ['kubectl_get', { resource: 'pods', names: ['--raw=/api'] }],
    ['kubectl_get', { resource: 'pods', kubeconfig: 'evil' }],
    ['kubectl_get', { resource: 'pods', namespace: '--kubeconfig=evil' }],
    ['kubectl_describe', { resource: 'secrets' }],
    ['kubectl_logs', { pod: '--kubeconfig=evil' }],
    ['kubectl_apply', { files: ['https://evil.example/x.yaml'] }],
    ['kubectl_apply', { files: ['../x.yaml'] }],
    ['kubectl_apply', { files: ['x.yaml'], prune: true }],
    ['kubectl_diff', { files: ['/etc/passwd'] }],
    ['kubectl_delete', { kind: 'pod', names: ['--all'] }],
    ['kubectl_delete', { kind: 'namespace', names: ['x'] }],
    ['kubectl_exec', { pod: '--kubeconfig=evil', command: ['sh'] }],
  ] as const)('refuses %s %j before kubectl starts', async ([tool, args]) => {
    const { call } = await openPack('kubectl');
    expect(await call(tool, args)).toMatch(/^invalid_arguments/);
  });
});
