import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { riskOfCall } from '../../src/tool/parameters/call-risk.ts';
import { importBoard, type ImportedBoard, type RootedCall } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  ['git status --short --branch', 'git_status', { short: true, branch: true }],
  ['git add --all', 'git_add', { all: true }],
  ['git add README.md src', 'git_add', { pathspec: ['README.md', 'src'] }],
  ["git commit --message='first commit'", 'git_commit', { message: ['first commit'] }],
  ['git commit --message=wip --all --no-verify', 'git_commit', { message: ['wip'], all: true, verify: false }],
  ['git commit --amend --no-edit', 'git_commit', { amend: true, no_edit: true }],
  ['git log -L 1,2:a.txt -L 3,4:b.txt', 'git_log', { L: ['1,2:a.txt', '3,4:b.txt'] }],
  ['git log --max-count=5 --oneline', 'git_log', { oneline: true, max_count: 5 }],
  [
    "git log --since='2 weeks ago' --author=Ada main -- src",
    'git_log',
    { since: '2 weeks ago', author: ['Ada'], revision_range: ['main'], path: ['src'] },
  ],
  ['git diff --stat HEAD~1 -- README.md', 'git_diff', { stat: true, commit: ['HEAD~1'], path: ['README.md'] }],
  ['git diff --name-only --cached', 'git_diff', { cached: true, name_only: true }],
  ['git show --name-status HEAD', 'git_show', { name_status: true, object: ['HEAD'] }],
  ['git branch --list --sort=-committerdate', 'git_branch', { list: true, sort: '-committerdate' }],
  ['git branch feature main', 'git_branch', { branch_name: ['feature'], start_point: 'main' }],
  ['git switch --create=feature', 'git_switch', { create: 'feature' }],
  ['git restore --staged README.md', 'git_restore', { staged: true, file: ['README.md'] }],
  ['git push --set-upstream origin main', 'git_push', { set_upstream: true, repository: 'origin', refspec: ['main'] }],
  ['git fetch --prune origin', 'git_fetch', { prune: true, repository: 'origin' }],
  ['git pull --rebase origin main', 'git_pull', { rebase: true, repository: 'origin', refspec: ['main'] }],
  ['git stash push --include-untracked src', 'git_stash_push', { include_untracked: true, pathspec: ['src'] }],
  ['git tag --annotate --message=one v1.0', 'git_tag', { annotate: true, message: ['one'], tagname: ['v1.0'] }],
  ['git remote add --fetch origin ../other', 'git_remote_add', { fetch: true, name: 'origin', url: '../other' }],
  ['git remote remove origin', 'git_remote_remove', { name: 'origin' }],
  ['git submodule update --init --recursive', 'git_submodule_update', { init: true, recursive: true }],
  ['git submodule set-branch --branch main lib', 'git_submodule_set-branch', { branch: 'main', path: 'lib' }],
  ['git bisect start HEAD v1.0 --', 'git_bisect_start', { bad: 'HEAD', good: ['v1.0'] }],
  ['git bisect good v1.0', 'git_bisect_good', { rev: ['v1.0'] }],
  ['git bisect run npm test --silent', 'git_bisect_run', { cmd: ['npm', 'test', '--silent'] }],
  ['git diff --stat v1.0 v2.0 -- src', 'git_diff', { stat: true, commit: ['v1.0', 'v2.0'], path: ['src'] }],
  ['git clone --depth=1 ../other copy', 'git_clone', { depth: 1, repo: '../other', dir: 'copy' }],
  ['git grep --line-number TODO -- src', 'git_grep', { line_number: true, pattern: 'TODO', path: ['src'] }],
  ['git -C elsewhere status --short', 'git_status', { working_dir: ['elsewhere'], short: true }],
  ['git rev-parse --show-toplevel', 'git_rev-parse', { show_toplevel: true }],
  ['git update-ref -d refs/heads/old', 'git_update-ref', { refname: 'refs/heads/old', d: true }],
];

/** Subcommands that can run a program which a call names. */
const RISKY = ['rebase', 'archive', 'config', 'ls-remote'];
const SUBCOMMANDS = [
  ...new Set([...RISKY, 'init', 'reset', 'blame', ...LINES.map(([, tool]) => tool.split('_')[1] ?? '')]),
];
/** Lines for which short help says too little: options, or that they may be repeated. */
const FROM_MANUAL = /^git (?:log|diff|show|rev-parse|-C)|--no-|--message=[^w]|stash|remote add/;

describe('import of git', needs('git-manual'), () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    imported = await importBoard(['git'], { only: SUBCOMMANDS, globals: ['c'] });
  }, 600_000);
  afterAll(() => imported.close());

  it('holds what is of this machine to the roots of a policy, and lets pass what is not', async () => {
    const allowed: RootedCall[] = [
      ['git_clone', { repo: 'https://example.com/x.git', dir: 'x' }],
      ['git_clone', { repo: 'git@example.com:x/y.git' }],
      ['git_fetch', { repository: 'origin' }],
    ];
    const outside: RootedCall[] = [
      ['git_clone', { repo: '/etc' }],
      ['git_clone', { repo: 'file:///etc' }],
      ['git_clone', { repo: 'localhost:/etc' }],
      ['git_remote_add', { name: 'x', url: '../other' }],
    ];
    expect(await imported.refused([...allowed, ...outside])).toEqual(outside);
  });

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line);
  });

  it('takes settings before the subcommand', async () => {
    expect(await imported.lineOf('git_log', { global_c: { 'core.abbrev': '12' }, oneline: true })).toBe(
      'git -c core.abbrev=12 log --oneline',
    );
  });

  it('wants no words where the command works without', async () => {
    expect(await imported.lineOf('git_commit')).toBe('git commit');
    expect(await imported.lineOf('git_diff')).toBe('git diff');
    await expect(imported.lineOf('git_clone')).rejects.toThrow('repo: is required');
  });

  it('guesses what only reads, what destroys, and which options do', () => {
    const risks = new Map(imported.tools.map(({ name, risk }) => [name, risk]));
    expect(risks.get('git_status')).toBe('read');
    expect(risks.get('git_reset')).toBe('destructive');
    expect(risks.get('git_commit')).toBeUndefined();
    expect(risks.get('git_push')).toBe('destructive');
    expect(risks.get('git_switch')).toBeUndefined();
    expect(risks.get('git_branch')).toBe('read');
    const risk = (tool: string, input: Record<string, unknown>): string => {
      const found = imported.board.registry.get(tool);
      return found === undefined ? 'no such tool' : riskOfCall(found, input);
    };
    expect(risk('git_branch', { all: true, sort: 'refname', delete: false })).toBe('read');
    expect(risk('git_branch', { branch_name: ['new'] })).toBe('write');
    for (const flag of ['delete', 'D', 'M', 'C', 'force']) {
      expect(risk('git_branch', { [flag]: true, branch_name: ['old'] })).toBe('destructive');
    }
    expect(risk('git_tag', { n: 1 })).toBe('read');
    expect(risk('git_switch', { branch: 'main' })).toBe('write');
    expect(risk('git_switch', { branch: 'main', discard_changes: true })).toBe('destructive');
    expect(imported.argumentGuesses.get('git_branch')?.get('delete')).toBe('--delete');
    // Ways to hand git a program: an option, a setting or a folder with hooks.
    const repo = '../other';
    expect(risk('git_clone', { repo })).toBe('write');
    for (const input of [{ upload_pack: 'sh' }, { config: { 'core.sshCommand': 'sh' } }, { template: 'hooks' }]) {
      expect(risk('git_clone', { repo, ...input })).toBe('destructive');
    }
    expect(risk('git_fetch', { upload_pack: 'sh' })).toBe('destructive');
    expect(risk('git_pull', { upload_pack: 'sh' })).toBe('destructive');
    expect(risk('git_rebase', { upstream: 'main' })).toBe('write');
    expect(risk('git_rebase', { exec: ['sh'] })).toBe('destructive');
    expect(risk('git_archive', { exec: 'sh' })).toBe('destructive');
    expect(risk('git_config', { name: 'user.name' })).toBe('write');
    expect(risk('git_config', { name: 'alias.x', value: '!sh' })).toBe('destructive');
    expect(risk('git_log', { global_c: { 'core.pager': 'sh' } })).toBe('destructive');
    expect(risk('git_ls-remote', { repository: repo })).toBe('read');
    expect(imported.notes.join(' ')).toContain('--upload-pack of git_ls-remote');
  });

  it('calls an option of the program the same in all tools, apart from those of the command', async () => {
    const line = await imported.lineOf('git_branch', { working_dir: ['/srv'], C: true, branch_name: ['a', 'b'] });
    expect(line).toBe('git -C /srv branch -C a b');
    expect(await imported.lineOf('git_switch', { working_dir: ['/srv'], force_create: 'x' })).toContain(
      'git -C /srv switch',
    );
    const named = imported.tools.map(
      ({ name, args }) => args?.find(({ flag, global }) => flag === '-C' && global)?.name ?? name,
    );
    expect(new Set(named)).toEqual(new Set(['working_dir']));
    await expect(imported.lineOf('git_log', { C: ['/srv'] })).rejects.toThrow(
      'C: is not a known argument: -C is "find_copies" or "working_dir".',
    );
  });

  it.each([
    ['show recent commits', 'git_log'],
    ['show the state of the working tree', 'git_status'],
    ['who changed this line', 'git_blame'],
    ['upload commits to the remote', 'git_push'],
    ['download changes from the remote', 'git_fetch'],
    ['discard local changes to a file', 'git_restore'],
    ['create a new branch', 'git_branch'],
    ['search text in tracked files', 'git_grep'],
  ])('finds by "%s" %s', (query, tool) => {
    expect(imported.find(query)).toContain(tool);
  });

  it('tells what commands are for, what they do, and which are used most', () => {
    expect(imported.tools.find(({ name }) => name === 'git_status')).toMatchObject({
      category: 'examine the history and state',
      common: true,
      description: expect.stringMatching(
        /^Show the working tree status\. Displays paths that have differences/,
      ) as string,
    });
  });

  it('describes a command with very many options in few words, and each on demand', async () => {
    const { board } = imported;
    const { text } = await board.call('describe_tool', { name: 'git_log' });
    expect(text.length).toBeLessThan(6_000);
    expect(text).toContain('max_count');
    const some = await board.call('describe_tool', { name: 'git_log', arguments: ['--max-count', 'skip'] });
    expect(some.text).toMatch(/^git_log\n- max_count: .*\n- skip: .*$/);
    const wrong = await board.call('call_tool', { name: 'git_log', arguments: { max_cout: 3 } });
    expect(wrong.text).toContain('Did you mean "max_count"?');
    expect(wrong.text.length).toBeLessThan(2_000);
    expect(wrong.text).toMatch(
      /It takes: revision_range [^.]* max_count .*\nSignature: git_log\(.*max_count\?: integer/,
    );
    const found = await board.call('search_tools', { query: 'commits of one author since yesterday' });
    expect(found.text).toMatch(/^git_log\([^)]*author\?: [^)]*since\?: /m);
  });

  it('works in a repository', async () => {
    const { board, folder } = imported;
    const call = async (tool: string, input: Record<string, unknown>): Promise<string> => {
      const result = await board.call(tool, input);
      expect(result).toMatchObject({ ok: true });
      return result.text;
    };
    await call('git_init', { quiet: true, initial_branch: 'main' });
    for (const [key, value] of [
      ['user.name', 'Ada'],
      ['user.email', 'ada@example.com'],
      ['commit.gpgsign', 'false'],
    ] as const) {
      execFileSync('git', ['config', key, value], { cwd: folder });
    }
    writeFileSync(join(folder, 'README.md'), 'Hello\nTODO more\n');
    expect(await call('git_status', { porcelain: true })).toContain('?? README.md');
    await call('git_add', { pathspec: ['README.md'] });
    await call('git_commit', { message: ['first commit', 'with a body'], quiet: true });
    expect(await call('git_log', { format: '%an: %s' })).toBe('Ada: first commit\n');
    expect(await call('git_grep', { line_number: true, pattern: 'TODO' })).toBe('README.md:2:TODO more\n');
    writeFileSync(join(folder, 'README.md'), 'Hello again\n');
    expect(await call('git_diff', { name_only: true, path: ['README.md'] })).toBe('README.md\n');
    await call('git_stash_push', { message: 'later' });
    expect(await call('git_stash_list', {})).toContain('later');
    await call('git_tag', { tagname: ['v1'] });
    expect(await call('git_tag', { list: true })).toBe('v1\n');
  });
});

describe('import of git from its help alone', () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    imported = await importBoard(['git'], { only: SUBCOMMANDS, manual: [] });
  }, 600_000);
  afterAll(() => imported.close());

  it.each(LINES.filter(([line]) => !FROM_MANUAL.test(line)))('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line);
  });
});
