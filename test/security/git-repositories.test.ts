// Tools that look at a repository run nothing that a stranger wrote into it: real repositories, each with a command that leaves a trace.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Board, openBoard } from '../../src/index.ts';

type Json = Readonly<Record<string, unknown>>;

let top: string;
let folder: string;
let trace: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-git-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  folder = join(top, 'board');
  trace = join(top, 'trace');
  mkdirSync(folder);
  writeFileSync(join(top, 'evil.sh'), `#!/bin/sh\ntouch ${trace}\ncat\n`);
  chmodSync(join(top, 'evil.sh'), 0o755);
});

const WHO = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main'];

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', [...WHO, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A repository with two commits and a change, in a folder of the board. */
function makeRepository(path = 'theirs'): string {
  const place = join(folder, path);
  mkdirSync(place, { recursive: true });
  git(place, 'init', '-q');
  for (const text of ['one\n', 'two\n']) {
    writeFileSync(join(place, 'file.txt'), text);
    writeFileSync(join(place, '.gitattributes'), '*.txt filter=evil diff=evil\n');
    git(place, 'add', '.');
    git(place, 'commit', '-q', '-m', text.trim());
  }
  writeFileSync(join(place, 'file.txt'), 'six\n');
  return place;
}

/** The pack, and commands of a person without any of its flags. */
async function open(policy: Json = {}): Promise<Board> {
  const repo = { name: 'repo', cwd: true };
  const written = {
    import: [join(import.meta.dirname, '../../packs/git.yaml')],
    tools: [
      ...['status', 'diff', 'log', 'fetch'].map((name) => ({
        name: `plain_${name}`,
        type: 'cli',
        description: 'Asks git',
        command: `git ${name}`,
        risk: 'read',
        args: [repo],
      })),
      {
        name: 'elsewhere',
        type: 'cli',
        description: 'Asks git',
        command: 'git',
        risk: 'read',
        args: [
          { name: 'repo', flag: '-C', style: 'separate', global: true, path: true },
          { name: 'what', positional: true, enum: ['status', 'diff'] },
        ],
      },
      {
        name: 'plain_words',
        type: 'cli',
        description: 'Asks git',
        command: 'git diff --no-index',
        risk: 'read',
        args: [repo, { name: 'words', type: 'array', positional: true }],
      },
      {
        name: 'templated_words',
        type: 'run',
        description: 'Asks git',
        risk: 'read',
        paths: [],
        schema: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } } },
        commands: [{ cmd: 'git', args: ['diff', '--no-index', '{{from}}', '{{to}}'] }],
      },
      {
        name: 'templated',
        type: 'run',
        description: 'Asks git',
        risk: 'read',
        schema: { type: 'object', properties: { repo: { type: 'string', format: 'path' } } },
        commands: [{ cmd: 'git', args: ['diff', '--stat'], workingDir: '{{repo}}' }],
      },
    ],
    policy: { roots: ['.'], approval: { global: 'none' }, ...policy },
  };
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(written));
  const env = { PATH: process.env['PATH'], HOME: join(top, 'home') };
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, data: join(top, 'data'), env });
  onTestFinished(() => board.close());
  return board;
}

async function call(board: Board, name: string, args: Json): Promise<string> {
  const { ok, text, error } = await board.call(name, args);
  return ok ? text : `${error?.code}: ${error?.message}`;
}

const TOOLS: readonly (readonly [string, Json])[] = [
  ['git_status', {}],
  ['git_diff', {}],
  ['git_log', { stat: true }],
  ['git_show', {}],
  ['git_grep', { pattern: 'o' }],
  ['git_blame', { file: ['file.txt'] }],
  ['git_branches', {}],
  ['plain_status', {}],
  ['plain_diff', {}],
  ['plain_log', {}],
  ['plain_fetch', {}],
  ['elsewhere', { what: 'diff' }],
  ['templated', {}],
];

describe('another repository', () => {
  it.each([
    ['filter.evil.clean'],
    ['filter.evil.process'],
    ['diff.external'],
    ['diff.evil.textconv'],
    ['diff.evil.command'],
    ['core.fsmonitor'],
    ['core.pager'],
    ['core.sshCommand'],
    ['gpg.program'],
    ['credential.helper'],
    ['alias.status'],
    ['core.editor'],
    ['remote.origin.uploadpack'],
  ])('runs no program of its setting %s', async (setting) => {
    const place = makeRepository();
    git(place, 'remote', 'add', 'origin', place);
    git(place, 'config', 'log.showSignature', 'true');
    git(place, 'config', setting, join(top, 'evil.sh'));
    const board = await open();
    for (const [tool, args] of TOOLS) {
      const said = await call(board, tool, { ...args, repo: 'theirs' });
      if (setting !== 'core.fsmonitor') expect(said).toMatch(/^permission_denied: .*policy\.files\.repositories/);
      expect([tool, existsSync(trace)]).toEqual([tool, false]);
    }
  });

  it('runs no program of a file that its settings include', async () => {
    const place = makeRepository();
    writeFileSync(join(place, 'more'), `[filter "evil"]\n\tclean = ${join(top, 'evil.sh')}\n`);
    git(place, 'config', 'include.path', '../more');
    const board = await open();
    expect(await call(board, 'git_status', { repo: 'theirs' })).toContain('filter.evil.clean');
    expect(existsSync(trace)).toBe(false);
  });

  it.each(['.git/hooks', 'own-hooks'])('runs no hooks in %s', async (hooks) => {
    const place = makeRepository();
    mkdirSync(join(place, hooks), { recursive: true });
    for (const name of ['post-index-change', 'pre-commit', 'reference-transaction'])
      symlinkSync(join(top, 'evil.sh'), join(place, hooks, name));
    if (hooks === 'own-hooks') git(place, 'config', 'core.hooksPath', hooks);
    const board = await open();
    for (const [tool, args] of TOOLS) await call(board, tool, { ...args, repo: 'theirs' });
    expect(await call(board, 'git_commit', { repo: 'theirs', message: 'x', all: true })).toContain('permission_denied');
    expect(existsSync(trace)).toBe(false);
  });

  it('is not taken for one where it is bare, in a folder of a clone', async () => {
    git(folder, 'init', '-q');
    const place = join(folder, 'docs/assets');
    mkdirSync(place, { recursive: true });
    git(place, 'init', '-q', '--bare');
    writeFileSync(join(place, 'file.txt'), 'x');
    writeFileSync(join(place, '.gitattributes'), '*.txt filter=evil\n');
    git(place, '--work-tree=.', 'add', '-f', 'file.txt', '.gitattributes');
    writeFileSync(join(place, 'file.txt'), 'y');
    for (const [name, value] of [
      ['core.bare', 'false'],
      ['core.worktree', '.'],
      ['filter.evil.clean', join(top, 'evil.sh')],
    ] as const)
      git(place, `--git-dir=${place}`, 'config', name, value);
    const board = await open();
    for (const [tool, args] of TOOLS) {
      for (const repo of ['docs/assets', 'docs/assets/refs'])
        expect(await call(board, tool, { ...args, repo })).toContain('permission_denied');
    }
    expect(existsSync(trace)).toBe(false);
  });

  it('lies where it is: no link leads to one outside, and no setting to other files', async () => {
    const secret = join(top, 'secret');
    mkdirSync(secret);
    git(secret, 'init', '-q');
    writeFileSync(join(secret, 'file.txt'), 'hunter2\n');
    git(secret, 'add', '.');
    git(secret, 'commit', '-q', '-m', 'hunter2');
    for (const name of ['a', 'b']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'a/.git'), `gitdir: ${join(secret, '.git')}\n`);
    symlinkSync(join(secret, '.git'), join(folder, 'b/.git'));
    git(makeRepository('c'), 'config', 'core.worktree', secret);
    git(makeRepository('d'), 'remote', 'add', 'origin', secret);
    const board = await open();
    for (const repo of ['a', 'b', 'c', 'd']) {
      await call(board, 'git_fetch', { repo });
      for (const [tool, args] of [...TOOLS, ['git_show', { object: 'FETCH_HEAD' }] as const])
        expect(await call(board, tool, { ...args, repo })).not.toContain('hunter2');
    }
  });

  it('is read where it names no program, and runs its own where the policy trusts it', async () => {
    const place = makeRepository();
    const board = await open();
    expect(await call(board, 'git_log', { repo: 'theirs' })).toContain('\ttwo');
    expect(await call(board, 'git_diff', { repo: 'theirs' })).toContain('+six');
    await board.close();
    git(place, 'config', 'filter.evil.clean', join(top, 'evil.sh'));
    const trusting = await open({ files: { repositories: ['theirs'] } });
    expect(await call(trusting, 'git_status', { repo: 'theirs' })).toContain('file.txt');
    expect(existsSync(trace)).toBe(true);
  });

  it("leaves the board's own repository to the person", async () => {
    const place = makeRepository('.');
    mkdirSync(join(place, 'deep'));
    git(place, 'config', 'filter.evil.clean', join(top, 'evil.sh'));
    const board = await open();
    expect(await call(board, 'git_status', { repo: 'deep' })).toContain('file.txt');
    expect(existsSync(trace)).toBe(true);
  });
});

describe('a revision', () => {
  it('is never a file, inside or outside of the repository', async () => {
    git(folder, 'init', '-q');
    writeFileSync(join(folder, 'file.txt'), 'one\n');
    writeFileSync(join(top, 'secret.txt'), 'hunter2\n');
    git(folder, 'add', 'file.txt');
    git(folder, 'commit', '-q', '-m', 'one');
    for (const name of ['link', 'other']) symlinkSync(join(top, 'secret.txt'), join(folder, name));
    symlinkSync(top, join(folder, 'out'));
    mkdirSync(join(folder, 'plain'));
    for (const name of ['one', 'two']) symlinkSync(join(top, 'secret.txt'), join(folder, 'plain', name));
    const board = await open();
    const calls: readonly (readonly [string, Json])[] = [
      ['git_diff', { from: 'link', to: 'other' }],
      ['git_diff', { from: 'HEAD', to: 'link' }],
      ['git_diff', { from: 'file.txt' }],
      ['git_diff', { from: 'file.txt', to: 'out/secret.txt' }],
      ['plain_words', { words: ['file.txt', 'out/secret.txt'] }],
      ['templated_words', { from: 'file.txt', to: 'out/secret.txt' }],
      ['git_diff', { from: 'file.txt', to: 'link' }],
      ['git_diff', { from: 'plain/one', to: 'plain/two' }],
      ['git_diff', { repo: 'plain', from: 'one', to: 'two' }],
      ['git_log', { revision: 'link' }],
      ['git_show', { object: 'link' }],
      ['git_blame', { revision: 'link', file: ['file.txt'] }],
      ['git_switch', { branch: 'link' }],
      ['git_restore', { source: 'link', paths: ['plain/one'] }],
    ];
    for (const [tool, args] of calls) {
      const said = await call(board, tool, args);
      expect(said).not.toContain('hunter2');
      expect(said).toMatch(/^(?:execution_failed|invalid_arguments)/);
    }
  });

  it('stands outside of a repository for nothing', async () => {
    writeFileSync(join(top, 'secret.txt'), 'hunter2\n');
    symlinkSync(top, join(folder, 'out'));
    writeFileSync(join(folder, 'empty'), '');
    const board = await open();
    for (const [from, to] of [
      ['out/secret.txt', 'empty'],
      ['empty', 'out/secret.txt'],
    ])
      expect(await call(board, 'git_diff', { from, to })).not.toContain('hunter2');
    expect(await call(board, 'git_diff', { from: 'out/secret.txt', paths: ['empty'] })).not.toContain('hunter2');
  });
});
