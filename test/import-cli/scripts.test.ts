// Scripts as people write them. Each prints what its own parser read, so that the parser judges the command line of a tool.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Board } from '../../src/index.ts';
import { importBoard, type ImportedBoard } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Values = Readonly<Record<string, unknown>>;
/** A subcommand, what its tool is called with, and what the script's parser must have read. */
type Case = readonly [subcommand: string, input: Record<string, unknown>, read: Values];

const SCRIPTS = join(import.meta.dirname, 'scripts');
const boards = new Map<string, Promise<ImportedBoard>>();

/** Imports a script once for all tests. */
function importScript(name: string): Promise<ImportedBoard> {
  const board = boards.get(name) ?? importBoard([join(SCRIPTS, name)]);
  boards.set(name, board);
  return board;
}

// A shim in front of Python takes longer than the script.
beforeAll(() => void vi.stubEnv('PATH', ['/usr/bin', process.env['PATH']].join(delimiter)));
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const board of boards.values()) await (await board).close();
});

/** Returns the arguments that Python scripts read from these command lines, in one process for all. */
function judge(lines: readonly (readonly string[])[]): unknown[] {
  return parseList(
    execFileSync('python3', [join(SCRIPTS, 'judge.py')], { input: JSON.stringify(lines), encoding: 'utf8' }),
  );
}

function parseList(text: string): unknown[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value : [value];
}

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'fleet.py': [
    ['list', { state: 'up', limit: 3, region: 'us' }, { cmd: 'list', state: 'up', limit: 3, region: 'us' }],
    [
      'deploy',
      { service: 'web', host: ['h1', 'h2'], set: { A: '1', B: 'x y' }, grace: 0.5, canary: true, dry_run: true },
      { service: 'web', hosts: ['h1', 'h2'], set: ['A=1', 'B=x y'], grace: 0.5, canary: true, dry_run: true },
    ],
    ['deploy', { service: 'web', host: ['h1'], tags: ['a', 'b'] }, { hosts: ['h1'], tags: ['a', 'b'] }],
    [
      'run',
      { host: 'h1', env: ['A', 'B'], cmdline: ['ls', '-la'] },
      { host: 'h1', env: ['A', 'B'], cmdline: ['ls', '-la'] },
    ],
    ['run', { host: 'h1', cmdline: ['uptime'] }, { host: 'h1', env: null, cmdline: ['uptime'] }],
    ['key_add', { id: 'k1', file: 'k.pem' }, { cmd: 'key', key_cmd: 'add', id: 'k1', file: 'k.pem' }],
    ['key_remove', { ids: ['1', '2'] }, { key_cmd: 'remove', ids: [1, 2] }],
  ],
  'report.py': [
    [
      '',
      { source: ['a', 'b'], daily: true, columns: ['x', 'y'] },
      { sources: ['a', 'b'], period: 'day', columns: ['x', 'y'] },
    ],
    ['', { source: ['a'], weekly: true, width: ['1', '2'] }, { sources: ['a'], width: [1, 2], period: 'week' }],
    ['', { source: ['a'], weekly: true, sort: true }, { sources: ['a'], sort: 'name' }],
    ['', { source: ['a'], weekly: true, sort_value: 'x' }, { sources: ['a'], sort: 'x' }],
    [
      '',
      { source: ['a'], daily: true, where: ['a', '1'], out: 'p' },
      { sources: ['a'], where: [['a', '1']], out: 'p' },
    ],
  ],
  'backup.py': [
    ['create', { str: 'db', str_2: 'n', keep: 3, ratio: 0.5 }, { database: 'db', name: 'n', keep: 3, ratio: 0.5 }],
    [
      'restore',
      { backup_id: 'b', target: 'far', tables: ['t', 'u'], timeout: 1.5, force: true, log_level: 'debug' },
      { backup_id: 'b', target: 'far', tables: ['t', 'u'], timeout: 1.5, force: true, log_level: 'debug' },
    ],
    ['restore', { backup_id: 'b', tables: ['t'] }, { backup_id: 'b', target: 'local', tables: ['t'] }],
    ['restore', { backup_id: 'b', retries: 5, config: 'x.ini' }, { backup_id: 'b', retries: 5, config: 'x.ini' }],
    ['expire-very-old-backups-now', { older_than: 30 }, { older_than: 30 }],
  ],
  'plain.py': [
    [
      'start',
      { name: 'web', token: 't', label: ['a', 'b'], port: 8080 },
      { name: 'web', label: ['a', 'b'], port: 8080 },
    ],
    ['stop', { name: 'web', token: 't', label: ['a'] }, { command: 'stop', name: 'web', label: ['a'] }],
    ['status', { names: ['a', 'b'], q: true, n: 3 }, { names: ['a', 'b'], q: true, n: 3 }],
    ['status', {}, { names: [], q: false }],
    ['status', { profile: 'p' }, { profile: 'p' }],
  ],
  'letter.py': [
    [
      '',
      { name: 'Ann', file: ['a', 'b'], subject: 'hi there', copies: 2, quiet: true },
      { words: ['Ann', 'a', 'b'], subject: 'hi there', copies: 2, quiet: true },
    ],
    ['', { name: 'Ann', to: ['x', 'y'] }, { words: ['Ann'], to: ['x', 'y'] }],
  ],
  'deploy.sh': [
    [
      '',
      { service: 'web', host: ['a', 'b'], r: 'eu', n: true, e: 'prod', t: '1.2' },
      { dry: 1, env: 'prod', tag: '1.2', region: 'eu', words: ['web', 'a', 'b'] },
    ],
    ['', { service: 'web', r: 'eu' }, { dry: 0, region: 'eu', words: ['web'] }],
  ],
  'conv.pl': [
    [
      '',
      { input: 'a', output: 'b', format: 'x', count: 2, ratio: 0.5, define: { A: '1', B: '2' }, include: ['i', 'j'] },
      { words: ['a', 'b'], format: 'x', count: 2, ratio: '0.5', define: { A: '1', B: '2' }, include: ['i', 'j'] },
    ],
    ['', { input: 'a', verbose: false }, { words: ['a'], verbose: 0 }],
  ],
};

for (const [name, cases] of Object.entries(CASES)) {
  const program = name.endsWith('.py') ? needs('python3') : name.endsWith('.pl') ? needs('perl') : {};
  it(`${name} is called as its own parser wants it`, program, async () => {
    const { board, tools } = await importScript(name);
    const prefix = name.replace('.', '_');
    const nameOf = (subcommand: string): string => (subcommand === '' ? prefix : `${prefix}_${subcommand}`);
    const calls = cases.map(([subcommand, input]) => ({ tool: nameOf(subcommand), input }));
    const read = name.endsWith('.py')
      ? judge(await Promise.all(calls.map(({ tool, input }) => argvOf(board, tool, input))))
      : await Promise.all(calls.map(async ({ tool, input }) => parseList((await board.call(tool, input)).text)[0]));
    expect(read).toMatchObject(cases.map(([, , wanted]) => wanted));
    // No tool besides those that are tried.
    expect(tools.map((tool) => tool.name).toSorted()).toEqual([...new Set(calls.map(({ tool }) => tool))].toSorted());
  });
}

async function argvOf(board: Board, tool: string, input: Record<string, unknown>): Promise<readonly string[]> {
  const [step] = (await board.dryRun(tool, input)).steps;
  return step?.type === 'command' ? step.argv : [];
}

describe('a script that uses argparse', needs('python3'), () => {
  it('has one tool for all names of a subcommand, types from defaults, and paths only where the help speaks of them', async () => {
    const [fleet, plain] = await Promise.all([importScript('fleet.py'), importScript('plain.py')]);
    const aliases = [...fleet.tools, ...plain.tools].map((tool) => [tool.name, ...(tool.aliases ?? [])]);
    expect(aliases).toEqual([
      ['fleet_py_list', 'fleet_py_ls'],
      ['fleet_py_deploy'],
      ['fleet_py_run'],
      ['fleet_py_key_add'],
      ['fleet_py_key_remove', 'fleet_py_key_rm', 'fleet_py_key_del'],
      ['plain_py_status'],
      // Not in its list: argparse names them when it refuses a word.
      ['plain_py_start', 'plain_py_up', 'plain_py_run'],
      ['plain_py_stop'],
    ]);
    const args = fleet.tools.flatMap((tool) => tool.args ?? []);
    expect([...new Set(args.filter(({ path }) => path !== undefined).map(({ name }) => name))]).toEqual([
      'inventory',
      'file',
    ]);
    expect(args.find(({ name }) => name === 'grace')).toMatchObject({ type: 'number' });
    expect(await fleet.lineOf('fleet_py_run', { host: 'h', env: ['A'], cmdline: ['ls'], dry_run: true })).toMatch(
      /fleet\.py --dry-run run --env A -- h ls$/,
    );
    expect(fleet.tools.find(({ name }) => name === 'fleet_py_deploy')?.exclusive).toEqual([['canary', 'all_at_once']]);
  });

  it('needs one of the options that its usage has in parentheses', async () => {
    const { tools } = await importScript('report.py');
    expect(tools[0]).toMatchObject({
      description: 'Make a report. What it reads: rows of files --rows is no option.',
      exclusive: [['daily', 'weekly']],
      one_of: [['daily', 'weekly']],
    });
    expect(tools[0]?.args?.map(({ name }) => name)).not.toContain('fast');
  });
});

it('never runs a subcommand of a script that may not know --help', async () => {
  const { board, folder, notes, tools } = await importScript('ctl.sh');
  expect(existsSync(join(folder, 'work.log'))).toBe(false);
  expect(tools.map(({ name, args = [] }) => [name, ...args.map((arg) => arg.name)])).toEqual([
    ['ctl_sh_start', 'name', 'port', 'wait'],
    ['ctl_sh_stop', 'name', 'wait'],
    ['ctl_sh_status', 'wait'],
  ]);
  expect(notes).toEqual([
    expect.stringMatching(
      /^The subcommands of \S+ctl\.sh were not called with --help: it is a script, and a subcommand without --help would do its work\. Their descriptions come from the help of the script\. To read one that supports --help: pegboard import cli \S+ctl\.sh start$/,
    ),
  ]);
  const { text } = await board.call('ctl_sh_start', { name: 'web', port: 80, wait: true });
  expect(JSON.parse(text)).toEqual({ words: ['start', 'web', '--port', '80', '--wait'] });
});
