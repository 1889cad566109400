// No tool reaches what a board keeps, and none writes what it is made of: real packs, commands, scripts and programs try.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CLI } from '../cli-program.test-helper.ts';
import { needs } from '../needs.test-helper.ts';
import { type Board, defineTool, openBoard, type OpenBoardOptions } from '../../src/index.ts';

type Json = Readonly<Record<string, unknown>>;

const PACKS = join(import.meta.dirname, '../../packs');
const KEPT = 'must not lead to data that boards store';
const ABOVE = 'must not be a folder above';

let top: string;
let folder: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-places-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  folder = join(top, 'project');
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src/main.txt'), 'hello\n');
});

/** Commands that read and write files, as a person would add them. */
const TOOLS = [
  { name: 'cat', type: 'cli', description: 'Reads', command: 'cat', risk: 'read', args: [path('file')] },
  { name: 'fetch', type: 'cli', description: 'Reads', command: 'cat', risk: 'read', args: [path('file', 'url')] },
  { name: 'untold', type: 'cli', description: 'Reads', command: 'cat', risk: 'read', args: [plain('file')] },
  { name: 'grep', type: 'cli', description: 'Searches', command: 'grep -r .', risk: 'read', args: [path('in')] },
  { name: 'tee', type: 'cli', description: 'Writes', command: 'tee', risk: 'write', args: [path('file'), input()] },
  { name: 'move', type: 'cli', description: 'Moves', command: 'mv', risk: 'write', args: [path('from'), path('to')] },
];

function path(name: string, form: true | string = true): Json {
  return { name, positional: true, required: true, path: form };
}

function plain(name: string): Json {
  return { name, positional: true, required: true };
}

function input(): Json {
  return { name: 'text', stdin: true };
}

/** Opens the board of the folder with packs; closed after the test. */
async function open(config: Json = {}, options: OpenBoardOptions = {}): Promise<Board> {
  const written = {
    import: ['ripgrep', 'sqlite3', 'jq', 'git'].map((name) => join(PACKS, `${name}.yaml`)),
    tools: TOOLS.filter(({ name }) => name !== 'untold'),
    policy: { roots: ['.'], approval: { global: 'none' } },
    ...config,
  };
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(written));
  const env = { PATH: process.env['PATH'], HOME: join(top, 'home'), XDG_STATE_HOME: join(top, 'state') };
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, env, ...options });
  onTestFinished(() => board.close());
  await board.checkStore();
  return board;
}

async function call(board: Board, name: string, args: Json): Promise<string> {
  const { ok, text, error } = await board.call(name, args);
  return ok ? text : `${error?.code}: ${error?.message}`;
}

describe('what a board keeps', () => {
  it('lies outside of the folder of the board, and no walk through that comes by', needs('rg'), async () => {
    const board = await open();
    await call(board, 'cat', { file: 'src/main.txt' });
    expect(relative(join(top, 'state/pegboard'), board.data)).toMatch(/^[\w+%.-]+\+project$/);
    const key = readFileSync(join(board.data, 'store.key'), 'utf8').trim();
    const found = await call(board, 'rg_search', { pattern: '.', hidden: true, no_ignore: true });
    const walked = await call(board, 'grep', { in: '.' });
    const listed = await call(board, 'rg_list', { hidden: true, no_ignore: true });
    for (const text of [found, walked]) expect(text).toContain('hello');
    for (const text of [found, walked, listed]) {
      expect(text).not.toContain(key);
      expect(text).not.toMatch(/store\.key|board\.db|\.pegboard/);
    }
    expect(readdirSync(folder).toSorted()).toEqual(['pegboard.yaml', 'src']);
  });

  // With all roots.
  describe.each([
    ['in its usual place', {}],
    ['in a folder that its config names', { data: '../kept' }],
  ])('%s', (_, place) => {
    it('is refused under every name that leads there', async () => {
      const board = await open({ ...place, policy: { roots: ['/'], approval: { global: 'none' } } });
      const { data } = board;
      symlinkSync(data, join(folder, 'link'));
      symlinkSync('link', join(folder, 'src/again'));
      symlinkSync('../link', join(folder, 'src/twice'));
      symlinkSync('/proc/self/cwd', join(folder, 'here'));
      linkSync(join(data, 'store.key'), join(folder, 'harmless.txt'));
      const key = join(data, 'store.key');
      const names = [
        key,
        relative(folder, key),
        `./src/../${relative(folder, key)}`,
        join(data, 'serve-token'),
        `${data}/./../${data.slice(data.lastIndexOf('/') + 1)}/store.key`,
        'link/store.key',
        'src/twice/store.key',
        'harmless.txt',
        `@${key}`,
        data,
      ];
      for (const file of names) {
        expect(await call(board, 'cat', { file })).toContain(KEPT);
        expect(await call(board, 'rg_search', { pattern: '.', paths: [file] })).toContain(KEPT);
      }
      for (const file of [`file://${key}`, `file://localhost${key}`, `file:${key.replace('store', '%73tore')}`])
        expect(await call(board, 'fetch', { file })).toContain(KEPT);
      for (const file of [`/proc/self/cwd/${relative(process.cwd(), key)}`, `/proc/${process.pid}/environ`, 'here/x'])
        expect(await call(board, 'cat', { file })).toContain('must not lead through');
      const database = join(data, 'board.db');
      expect(await call(board, 'sqlite_query', { database, sql: 'SELECT * FROM sqlite_schema' })).toContain(KEPT);
      expect(await call(board, 'git_log', { repo: data })).toContain(KEPT);
      expect(await call(board, 'tee', { file: join(data, 'serve-token'), text: 'mine' })).toContain(KEPT);
      expect(await call(board, 'move', { from: 'src/main.txt', to: join(data, 'new') })).toContain(KEPT);
    });

    it('is not reached from a folder above it', async () => {
      const board = await open({ ...place, policy: { roots: ['/'], approval: { global: 'none' } } });
      const above = join(board.data, '..');
      for (const paths of [[above], ['/'], [join(above, '../..')]])
        expect(await call(board, 'rg_search', { pattern: '.', paths, hidden: true })).toMatch(/must not (?:be|lead)/);
      expect(await call(board, 'grep', { in: top })).toContain(ABOVE);
      expect(await call(board, 'grep', { in: 'src' })).toContain('hello');
      expect(await call(board, 'move', { from: top, to: 'src/all' })).toContain(ABOVE);
    });
  });

  it('is refused to tools without a policy, and to those that say nothing of paths', async () => {
    const board = await open({ policy: undefined, tools: TOOLS });
    const key = join(board.data, 'store.key');
    symlinkSync(board.data, join(folder, 'link'));
    for (const file of [key, relative(folder, key), 'link/store.key'])
      expect(await call(board, 'untold', { file })).toContain(KEPT);
    expect(await call(board, 'untold', { file: 'src/main.txt' })).toBe('hello\n');
  });

  it('is refused to scripts, programs, tools of code and dry runs', async () => {
    const tool = defineTool({
      name: 'read_file',
      description: 'Reads',
      risk: 'read',
      paths: ['file'],
      schema: { type: 'object', properties: { file: { type: 'string' } } },
      execute: ({ file }) => readFileSync(String(file), 'utf8'),
    });
    const board = await open(
      { data: '../kept', policy: { roots: ['/'], approval: { global: 'none' } } },
      { tools: [tool] },
    );
    const file = join(board.data, 'store.key');
    expect(await call(board, 'read_file', { file })).toContain(KEPT);
    expect(await board.dryRun('cat', { file })).toMatchObject({ verdict: { type: 'refused' } });
    const { runCode } = await import('../../src/code.ts');
    const ran = await runCode(board, `return await tools.read_file({ file: ${JSON.stringify(file)} })`);
    expect(JSON.stringify(ran)).toContain(KEPT);
  });

  describe('lies in no folder that a command can walk without naming it', () => {
    const walk = { name: 'walk', type: 'cli', description: 'Searches', command: 'grep -r .', risk: 'read' };
    const steps = {
      name: 'steps',
      type: 'run',
      description: 'Packs',
      risk: 'read',
      commands: [{ cmd: 'tar', args: ['c', '.'] }],
    };
    const refused = async (config: Json, variables: Readonly<Record<string, string>> = {}): Promise<unknown> => {
      const env = { PATH: process.env['PATH'], HOME: join(top, 'home'), ...variables };
      try {
        return (await open({ import: [], tools: [walk], ...config }, { env })).diagnostics;
      } catch (error) {
        return error;
      }
    };
    const inFolder = (): string =>
      `can read all of "${folder}". Name a folder outside of it, or none: the usual one is "`;

    it('whether its config, the environment, code or its own place puts it there', async () => {
      const kept = join(folder, 'kept');
      const keeps = `the board keeps its key and its store in "${kept}", and the tool`;
      expect(await refused({ data: 'kept' })).toMatchObject({
        code: 'invalid_config',
        diagnostics: [
          {
            severity: 'error',
            path: ['data'],
            place: { line: 1 },
            message: expect.stringContaining(
              `${keeps} "walk" ${inFolder()}${join(top, 'home/.local/state/pegboard/')}`,
            ),
          },
        ],
      });
      expect(await refused({ data: 'kept', tools: [steps, walk] })).toMatchObject({
        message: expect.stringContaining(`${keeps} "steps" (and 1 more) ${inFolder()}`),
      });
      expect(await refused({}, { PEGBOARD_DATA: kept })).toMatchObject([
        { severity: 'warning', message: expect.stringContaining(`PEGBOARD_DATA: ${keeps} "walk" ${inFolder()}`) },
      ]);
      const board = await open({ import: [], tools: [walk] }, { data: kept });
      expect(board.diagnostics).toMatchObject([
        {
          severity: 'warning',
          path: ['tools', 0],
          message: expect.stringContaining('bubblewrap hides the data folder'),
        },
      ]);
    });

    describe('and where it does, is hidden from such commands', () => {
      const listing = { ...steps, name: 'listing', commands: [{ cmd: 'ls', args: ['-R'] }] };
      const names = { ...walk, name: 'names', command: 'find .', paths: [] };
      const around = { ...walk, name: 'around', command: ['cat', `/proc/${process.pid}/root/etc/hostname`] };
      const missing = { ...walk, name: 'missing', command: 'no-such-program' };
      const sandboxed = { ...walk, name: 'sandboxed', sandbox: { type: 'bwrap', read: ['.'] } };

      it('with bubblewrap', needs('sandbox'), async () => {
        const env = { PATH: process.env['PATH'], HOME: folder, PEGBOARD_DATA: join(folder, 'kept') };
        const board = await open({ import: [], tools: [walk, listing, names, around, sandboxed, missing] }, { env });
        const key = readFileSync(join(folder, 'kept/store.key'), 'utf8').trim();
        for (const name of ['walk', 'sandboxed']) {
          const walked = await call(board, name, {});
          expect(walked).toContain('hello');
          expect(walked).not.toContain(key);
        }
        const listed = await call(board, 'listing', {});
        expect(listed).toContain('main.txt');
        expect(listed).not.toMatch(/store\.key|board\.db/);
        expect(await call(board, 'around', {})).toContain('Permission denied');
        expect(await call(board, 'missing', {})).toBe(
          'execution_failed: The command "no-such-program" was not found in PATH. Install it, or give its full path.',
        );
        // This tool opens no files.
        expect(await call(board, 'names', {})).toContain('kept/store.key');
      });

      it('or they do not run', () => {
        mkdirSync(join(top, 'bin'));
        for (const program of ['grep', 'find'])
          symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(top, 'bin', program));
        writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ tools: [walk, names] }));
        const env = { PATH: join(top, 'bin'), HOME: top, PEGBOARD_DATA: join(folder, 'kept') };
        const typed = (tool: string): string =>
          spawnSync(process.execPath, [CLI, 'call', tool, '--json'], { cwd: folder, env, encoding: 'utf8' }).stdout;
        expect(JSON.parse(typed('walk'))).toMatchObject({
          error: {
            code: 'permission_denied',
            message: `This command could read the board's key in "${join(folder, 'kept')}", which lies in its working folder, and nothing here can hide it: bubblewrap is not installed. Install it, on Debian with: apt-get install bubblewrap. Keep the board's data outside of that folder (PEGBOARD_DATA), set "working_dir" to another folder, or write "paths: []" for a tool that opens no files.`,
          },
        });
        expect(typed('names')).toContain('kept');
      });
    });

    it('but where the usual place lies there too, a warning says so', async () => {
      const state = join(folder, '.local/state');
      const message = expect.stringMatching(/can read all of "[^"]+"\. Name a folder outside of it\. A tool/);
      const warned = [{ severity: 'warning', message }];
      expect(await refused({}, { HOME: folder })).toMatchObject(warned);
      expect(await refused({ data: state }, { HOME: folder })).toMatchObject(warned);
      expect(await refused({ data: '../kept', working_dir: '/' })).toMatchObject(warned);
    });

    it('through a link neither', async () => {
      symlinkSync(folder, join(top, 'link'));
      expect(await refused({ data: '../link/src/kept' })).toMatchObject({ code: 'invalid_config' });
      expect(await refused({ tools: [{ ...walk, working_dir: '../link' }], data: '../link/kept' })).toMatchObject({
        code: 'invalid_config',
      });
    });

    it('which leaves it where none comes by', async () => {
      expect(await refused({ data: '../kept' })).toEqual([]);
      expect(await refused({ data: 'kept', tools: [{ ...walk, working_dir: 'src' }] })).toEqual([]);
      expect(await refused({ data: 'kept', tools: [{ ...walk, paths: [] }] })).toEqual([]);
      const inSource = { ...steps, commands: [{ cmd: 'tar', args: ['c', '.'], workingDir: 'src' }] };
      expect(await refused({ data: 'kept', tools: [inSource] })).toEqual([]);
    });

    it('which a sandbox hides', needs('sandbox'), async () => {
      const confined = (read: string[]): Json => ({ tools: [{ ...walk, sandbox: { type: 'bwrap', read } }] });
      expect(await refused({ data: 'kept', ...confined(['src']) })).toEqual([]);
      expect(await refused({ data: 'kept', ...confined(['.']) })).toMatchObject({ code: 'invalid_config' });
    });
  });

  it('is refused in the place of other boards', async () => {
    const board = await open({ policy: { roots: ['/'], approval: { global: 'none' } } });
    const other = join(top, 'state/pegboard/other-0123456789abcdef');
    mkdirSync(other);
    writeFileSync(join(other, 'store.key'), 'theirs');
    expect(await call(board, 'cat', { file: join(other, 'store.key') })).toContain(KEPT);
  });
});

describe('the files that define a board', () => {
  function makeFiles(): Json {
    mkdirSync(join(folder, 'more'));
    mkdirSync(join(folder, 'skills/notes'), { recursive: true });
    writeFileSync(join(folder, 'more/one.yaml'), 'tools: []\n');
    const code = `export default { metadata: { name: 'own', description: 'Does' }, schema: { type: 'object' }, execute: () => 'x' };\n`;
    writeFileSync(join(folder, 'tools.mjs'), code);
    writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\necho mine\n', { mode: 0o755 });
    writeFileSync(join(folder, 'job.sh'), 'echo job\n');
    writeFileSync(join(folder, 'skills/notes/SKILL.md'), '---\nname: notes\ndescription: Takes notes\n---\nWrite.\n');
    execFileSync('git', ['init', '-q'], { cwd: folder });
    return {
      import: ['more/*.yaml', join(PACKS, 'git.yaml')],
      skills: ['skills'],
      tools: [
        ...TOOLS.filter(({ name }) => name !== 'untold'),
        { name: 'run', type: 'cli', description: 'Runs', command: './run.sh', risk: 'read', paths: [] },
        { name: 'job', type: 'cli', description: 'Runs', command: 'sh job.sh', risk: 'read', paths: [] },
        { type: 'script', file: 'tools.mjs', paths: [] },
      ],
    };
  }

  it('is written by no tool, and read by all', async () => {
    const board = await open(makeFiles());
    symlinkSync('../pegboard.yaml', join(folder, 'src/alias.txt'));
    linkSync(join(folder, 'pegboard.yaml'), join(folder, 'src/linked.txt'));
    const files = [
      'pegboard.yaml',
      'src/../pegboard.yaml',
      'src/alias.txt',
      'src/linked.txt',
      'pegboard.lock',
      'pegboard.queries',
      'more/one.yaml',
      'more/new.yaml',
      'tools.mjs',
      'run.sh',
      'job.sh',
      'skills/notes/SKILL.md',
      'skills/notes/extra.md',
      '.git/config',
      'src/.git/hooks/post-checkout',
    ];
    const allowed = 'policy.files.board: write in the config allows it';
    for (const file of files) expect(await call(board, 'tee', { file, text: 'x' })).toContain(allowed);
    expect(await call(board, 'move', { from: '.', to: 'src/x' })).toContain('which defines the board');
    expect(await call(board, 'move', { from: 'skills', to: 'src/x' })).toContain(allowed);
    expect(await call(board, 'git_restore', { paths: ['.'] })).toContain(allowed);
    expect(await call(board, 'git_switch', { branch: 'other' })).toContain(allowed);
    expect(await call(board, 'git_pull', {})).toContain(allowed);
    expect(await call(board, 'cat', { file: 'pegboard.yaml' })).toContain('roots');
    expect(await call(board, 'tee', { file: 'src/new.txt', text: 'x' })).toBe('x');
    expect(await call(board, 'git_add', { paths: ['.'] })).toBe('(no output)');
    expect(readFileSync(join(folder, 'pegboard.yaml'), 'utf8')).toContain('roots');
  });

  it('is written where the policy says so', async () => {
    const policy = { roots: ['.'], approval: { global: 'none' }, files: { board: 'write' } };
    const board = await open({ ...makeFiles(), policy });
    expect(await call(board, 'tee', { file: 'more/new.yaml', text: 'tools: []' })).toBe('tools: []');
    expect(await call(board, 'tee', { file: join(board.data, 'serve-token'), text: 'x' })).toContain('must');
  });

  it('is not taken over under --watch when a tool changed it, until a person saves it', async () => {
    const loose = JSON.stringify({ tools: TOOLS, policy: { approval: { global: 'none' } } });
    // A command that says nothing of what it writes.
    writeFileSync(join(folder, 'loosen.sh'), `printf '%s' '${loose}' > pegboard.yaml\n`);
    const board = await open(
      {
        tools: [
          { name: 'loosen', type: 'cli', description: 'Writes', command: 'sh loosen.sh', risk: 'write', paths: [] },
          { name: 'wipe', type: 'cli', description: 'Wipes', command: 'echo wiped', risk: 'destructive', paths: [] },
        ],
        policy: { approval: { global: 'destructive' } },
      },
      { watch: true },
    );
    const refused = new Promise<string>((settle) => board.on('reload-failed', ({ error }) => settle(error.message)));
    expect(await call(board, 'loosen', {})).toBe('(no output)');
    expect(await refused).toContain('was changed while the tool "loosen" ran, so the change is not taken over');
    expect(await call(board, 'wipe', {})).toContain('approval_required');
    const reloaded = new Promise((settle) => board.on('reloaded', settle));
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ tools: TOOLS }));
    await reloaded;
    expect(board.registry.has('wipe')).toBe(false);
  });
});
