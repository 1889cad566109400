import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPack, type OpenedPack } from './open-pack.test-helper.ts';

/** A repository with one commit, and a program that leaves a trace when it is started. */
async function openRepository(): Promise<
  OpenedPack & { git(...args: string[]): string; trap: string; isSprung(): boolean }
> {
  const pack = await openPack('git');
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: pack.folder, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  pack.write('a.txt', 'one\n');
  pack.write('.gitignore', 'packs\npegboard.yaml\ntrap*\n');
  git('add', '.');
  git('commit', '-q', '-m', 'Start');
  const trap = pack.write('trap', '');
  writeFileSync(trap, `#!/bin/sh\ntouch ${trap}-sprung\ncat\n`);
  chmodSync(trap, 0o755);
  return { ...pack, git, trap, isSprung: () => existsSync(`${trap}-sprung`) };
}

describe('the pack git, with git', () => {
  it('looks, commits, switches, pushes and restores', async () => {
    const { call, write, git, folder } = await openRepository();
    write('a.txt', 'one\ntwo\n');
    expect(await call('git_status')).toBe('## main\n M a.txt\n');
    expect(await call('git_diff')).toContain('+two');
    await call('git_add', { paths: ['a.txt'] });
    expect(await call('git_commit', { message: '-m is no flag here' })).toContain('1 file changed');
    expect(await call('git_log', { limit: 1 })).toMatch(/^[0-9a-f]{7,}\t\d{4}-\d\d-\d\d\tAda\t-m is no flag here\n$/);
    expect(await call('git_show', { object: 'HEAD~1:a.txt' })).toBe('one\n');
    expect(await call('git_blame', { file: ['a.txt'], lines: '2,2' })).toContain('two');
    expect(await call('git_grep', { pattern: 't(w)o' })).toBe('a.txt:2:two\n');
    expect(await call('git_grep', { pattern: 'none' })).toBe('[exit code 1: nothing matches]');
    await call('git_switch', { branch: 'fix/x', create: true });
    expect(await call('git_branches')).toMatch(/^fix\/x\t.*\nmain\t/);
    execFileSync('git', ['init', '-q', '--bare', join(folder, 'packs/remote.git')]);
    git('remote', 'add', 'origin', join(folder, 'packs/remote.git'));
    expect(await call('git_remotes')).toBe('origin\n');
    expect(await call('git_push', { branch: 'fix/x', set_upstream: true })).toContain('[new branch]');
    expect(await call('git_fetch', { prune: true })).toBe('(no output)');
    expect(await call('git_pull')).toContain('Already up to date');
    write('a.txt', 'lost\n');
    await call('git_restore', { paths: ['a.txt'] });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it.for([
    ['git_log', { revision: '--output=stolen' }],
    ['git_log', { revision: '--exec=./trap' }],
    ['git_show', { object: '--output=stolen' }],
    ['git_diff', { from: '/etc/passwd', to: '/dev/null' }],
    ['git_diff', { from: 'a/../../secret.txt', to: 'a.txt' }],
    ['git_diff', { paths: ['../secret.txt', 'a.txt'] }],
    ['git_blame', { file: ['../secret.txt'] }],
    ['git_grep', { pattern: '-O./trap' }],
    ['git_grep', { pattern: '--open-files-in-pager=./trap' }],
    ['git_branches', { kinds: ['--shell'] }],
    ['git_fetch', { remote: 'ext::./trap' }],
    ['git_fetch', { remote: '--upload-pack=./trap' }],
    ['git_fetch', { remote: '../secret.txt' }],
    ['git_fetch', { branch: '+main:main' }],
    ['git_pull', { remote: 'ext::./trap' }],
    ['git_push', { remote: 'https://evil.example/x', branch: 'main' }],
    ['git_push', { remote: '--receive-pack=./trap', branch: 'main' }],
    ['git_push', { branch: '+main' }],
    ['git_push', { branch: ':main' }],
    ['git_push', { branch: '--force' }],
    ['git_switch', { branch: '--discard-changes' }],
    ['git_restore', { paths: ['../secret.txt'] }],
    ['git_status', { repo: '..' }],
  ] as const)('refuses %s %j before git starts', async ([tool, args]) => {
    const { call, isSprung, folder } = await openRepository();
    expect(await call(tool, args)).toMatch(/^invalid_arguments: /);
    expect([isSprung(), existsSync(join(folder, 'stolen'))]).toEqual([false, false]);
  });

  it('shows nothing from outside the repository, even to a board without roots', async () => {
    const { board, git } = await openRepository();
    expect(git('--version')).toContain('git');
    const { openBoard } = await import('../../src/index.ts');
    const [cwd, file] = [join(git('rev-parse', '--show-toplevel').trim()), 'packs/git.yaml'];
    const open = await openBoard({ files: join(cwd, file), cwd, data: join(cwd, 'trap-data') });
    const { ok, text } = await open.call('git_diff', { paths: ['/etc/passwd', '/dev/null'] });
    await open.close();
    expect([ok, text.includes('root:')]).toEqual([false, false]);
    expect(board.registry.size).toBeGreaterThan(0);
  });

  it('starts no program that the settings of the repository name for looking at it', async () => {
    const { call, git, trap, write, isSprung } = await openRepository();
    for (const key of [
      'core.pager',
      'pager.log',
      'diff.external',
      'diff.t.command',
      'diff.t.textconv',
      'core.fsmonitor',
    ]) {
      git('config', key, trap);
    }
    for (const [key, value] of [
      ['log.showSignature', 'true'],
      ['gpg.program', trap],
      ['core.editor', trap],
    ] as const) {
      git('config', key, value);
    }
    write('.gitattributes', '*.txt diff=t\n');
    write('a.txt', 'one\ntwo\n');
    for (const [tool, args] of [
      ['git_status', {}],
      ['git_log', { contains: 'two' }],
      ['git_show', {}],
      ['git_diff', {}],
      ['git_blame', { file: ['a.txt'] }],
      ['git_grep', { pattern: 'two' }],
      ['git_branches', {}],
      ['git_add', { paths: ['a.txt'] }],
      ['git_commit', { message: 'Two' }],
    ] as const) {
      expect(await call(tool, args)).not.toMatch(/^execution_failed/);
      expect({ tool, isSprung: isSprung() }).toEqual({ tool, isSprung: false });
    }
  });

  it('reaches no remote whose address names a program', async () => {
    const { call, git, trap, isSprung } = await openRepository();
    git('remote', 'add', 'origin', `ext::${trap}`);
    git('config', 'protocol.ext.allow', 'always');
    expect(await call('git_fetch')).toContain("transport 'ext' not allowed");
    expect(await call('git_push', { branch: 'main' })).toContain("transport 'ext' not allowed");
    expect(isSprung()).toBe(false);
  });
});
