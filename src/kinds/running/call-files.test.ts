import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Board, ConfigError, openBoard } from '../../index.ts';
import { eventually } from '../../platform/process/spawners.test-helper.ts';
import { needs } from '../../../test/needs.test-helper.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-call-files-')));
// The board's data must not be in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
afterAll(() => rmSync(top, { recursive: true }));

function write(keys: string, head = ''): string {
  const file = join(folder, 'pegboard.yaml');
  const type = keys.includes('commands:') ? 'run' : 'cli';
  writeFileSync(file, `${head}tools:\n  - name: t\n    type: ${type}\n    description: T\n    risk: read\n${keys}`);
  return file;
}

async function open(keys: string, head = ''): Promise<Board> {
  const board = await openBoard({ files: write(keys, head), cwd: folder });
  onTestFinished(() => board.close());
  return board;
}

async function faultOf(keys: string): Promise<string> {
  const error: unknown = await open(keys).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('It opened.');
  return error.message;
}

/** Prints the path, the permissions and the contents of a file. */
const SHOW = `[sh, -c, 'for f; do echo "$f"; stat -c %a "$f" "$(dirname "$f")"; cat "$f"; echo; done', _]`;

describe('a file as an argument', () => {
  it('has the text of the call, is readable by this user only, and is deleted after the call', async () => {
    const board = await open(`
    command: ${SHOW}
    args: [{ name: query, type: file, extension: .sql, positional: true, required: true, description: The query. }]
`);
    const { text } = await board.call('t', { query: "select '-n; $(id) ünï'" });
    const [path = '', mode, folderMode, contents] = text.split('\n');
    expect(path).toMatch(/\/query\.sql$/);
    expect([mode, folderMode, contents]).toEqual(['600', '700', "select '-n; $(id) ünï'"]);
    expect(existsSync(dirname(path))).toBe(false);
    expect(board.registry.get('t')?.inputSchema).toMatchObject({
      properties: { query: { type: 'string', description: 'The query. Send the contents, not a path.' } },
    });
  });

  it('works after a flag, several at once, and from base64', async () => {
    const board = await open(`
    command: [sh, -c, 'shift; for f; do cat "\${f#--data=}"; echo; done', _]
    args:
      - { name: data, type: file, encoding: base64 }
      - { name: parts, type: array, items: file, extension: .txt, positional: true }
`);
    const { text } = await board.call('t', {
      parts: ['skipped', 'a', 'b'],
      data: Buffer.from('héé').toString('base64'),
    });
    expect(text).toBe('a\nb\nhéé\n');
    const bad = await board.call('t', { data: 'no base64!' });
    expect(bad.error).toMatchObject({ code: 'invalid_arguments', field: 'data' });
    expect(bad.text).toContain('Argument "data" must be base64');
    const half = await board.call('t', { parts: ['\ud800'] });
    expect(half.error).toMatchObject({ code: 'invalid_arguments', field: 'parts' });
  });

  it('is shared by several commands, and text can go to standard input', async () => {
    const board = await open(`
    schema: { properties: { note: { type: string }, all: { type: array, items: { type: string } }, text: { type: string } } }
    files: { note: { extension: .md }, all: {} }
    commands:
      - { cmd: cat, args: ["{{note}}"] }
      - { cmd: cat, args: ["{{...all}}"] }
      - { cmd: cat, stdin: "<{{text}}>" }
`);
    expect((await board.call('t', { note: 'N', all: ['1', '2'], text: 'T\n' })).text).toBe('N\n12\n<T\n>');
    const { steps } = await board.dryRun('t', { note: 'N', all: [], text: 'T' });
    expect(steps[0]).toMatchObject({ argv: ['cat', '<files>/note.md'], files: [{ name: 'note.md', bytes: 1 }] });
    expect(steps[2]).toMatchObject({ stdin: 3 });
    expect(steps[2]).not.toHaveProperty('files');
    expect((await board.dryRun('t', { note: 'N', all: [] })).steps[2]).toMatchObject({ stdin: undefined });
  });

  it('is only described by a dry run', async () => {
    const board = await open(`
    command: psql
    args: [{ name: file, type: file, extension: .sql, required: true }]
`);
    // Separate from the folders of other tests.
    const temporary = mkdtempSync(join(folder, 'temporary-'));
    vi.stubEnv('TMPDIR', temporary);
    const { steps } = await board.dryRun('t', { file: 'select 1' });
    vi.unstubAllEnvs();
    expect(steps[0]).toMatchObject({
      argv: ['psql', '--file=<files>/file.sql'],
      files: [{ name: 'file.sql', bytes: 8 }],
    });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('is seen in a sandbox, which cannot change it', needs('sandbox'), async () => {
    const board = await open(`
    command: [sh, -c, 'cat "$1"; echo x > "$1"', _]
    sandbox: bwrap
    args: [{ name: file, type: file, positional: true, required: true }]
`);
    const { text, ok } = await board.call('t', { file: 'inside\n' });
    expect(ok).toBe(false);
    expect(text).toContain('inside');
    expect(text).toContain('Read-only file system');
  });

  it('is not a path for the roots of a policy, and opens none', async () => {
    const head = `policy: { roots: ["${folder}"] }\n`;
    const board = await open(
      `
    command: cat
    args: [{ name: file, type: file, positional: true }, { name: other, positional: true, path: true }]
`,
      head,
    );
    expect((await board.call('t', { file: '/etc/passwd' })).text).toBe('/etc/passwd');
    const refused = await board.call('t', { file: 'x', other: join(tmpdir(), 'pegboard-0') });
    expect(refused.error).toMatchObject({ field: 'other' });
    expect(refused.text).toContain('must lie in an allowed folder');
  });

  it('is shown completely to the person who approves, without secrets', async () => {
    const file = write(
      `
    command: cat
    args: [{ name: script, type: file, positional: true, required: true }]
`,
      'env: { SHIP_TOKEN: tok-123456789 }\npolicy: { approval: { global: all } }\n',
    );
    const asked: { message: string; input: unknown }[] = [];
    const board = await openBoard({
      files: file,
      cwd: folder,
      data: join(top, 'data'),
      approve: ({ message, input }) => {
        asked.push({ message, input });
        return true;
      },
    });
    onTestFinished(() => board.close());
    const script = `line one\n${'x'.repeat(5000)}\nlast tok-123456789`;
    expect((await board.call('t', { script })).text).toContain('last [redacted]');
    expect(asked[0]?.message).toContain('x'.repeat(5000));
    expect(asked[0]?.message).not.toContain('tok-123456789');
    expect(asked[0]?.message).not.toContain(tmpdir());
  });

  it('is deleted on timeout', async () => {
    const board = await open(`
    command: [sh, -c, 'echo "$1"; exec sleep 1000', _]
    timeout: 2s
    args: [{ name: file, type: file, positional: true }]
`);
    const { error, text } = await board.call('t', { file: 'x' });
    expect(error?.code).toBe('timeout');
    const path = /\S+\/file$/m.exec(text)?.[0] ?? '';
    expect(path).not.toBe('');
    await eventually(() => !existsSync(dirname(path)));
  });

  it('is deleted when the board is killed with -9, also beside another board', async () => {
    const keys = `
    command: [sh, -c, 'echo "$1" > "$2"; exec sleep 1000', _]
    args: [{ name: file, type: file, positional: true }, { name: out, positional: true }]
`;
    const script = `
      const { openBoard } = await import(${JSON.stringify(join(import.meta.dirname, '../../index.ts'))});
      const board = await openBoard({ files: ${JSON.stringify(write(keys))}, cwd: ${JSON.stringify(folder)}, data: ${JSON.stringify(join(top, 'data'))} });
      console.log('ready');
      await board.call('t', { file: 'secret', out: process.argv[1] });`;
    const start = async (name: string): Promise<{ path: string; kill(): void }> => {
      const out = join(folder, name);
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, out], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      await new Promise((resolve) => createInterface(child.stdout).once('line', resolve));
      await eventually(() => existsSync(out) && statSync(out).size > 0);
      return { path: readFileSync(out, 'utf8').trim(), kill: () => child.kill('SIGKILL') };
    };
    const [one, other] = await Promise.all([start('one'), start('other')]);
    expect(existsSync(one.path)).toBe(true);
    one.kill();
    // The folder of the process with everything in it.
    await eventually(() => !existsSync(dirname(dirname(one.path))));
    expect(existsSync(other.path)).toBe(true);
  });

  it('is checked with the entry, and reported with its position', async () => {
    const cli = (arg: string): string => `    command: cat\n    args: [{ name: a, ${arg} }]\n`;
    expect(await faultOf(cli('type: file, stdin: true'))).toContain(
      'tools[0].args[0].stdin: takes a text, not a file.',
    );
    expect(await faultOf(cli('type: file, path: true'))).toContain('the board writes this file');
    expect(await faultOf(`${cli('type: file')}    paths: [a]\n`)).toContain('the board writes this file');
    expect(await faultOf(cli('extension: .sql'))).toContain('tools[0].args[0].extension: is for type: file.');
    expect(await faultOf(cli('encoding: base64'))).toContain('tools[0].args[0].encoding: is for type: file and stdin.');
    expect(await faultOf(cli('type: file, extension: ../x'))).toContain('tools[0].args[0].extension');
    const run = (files: string): string =>
      `    schema: { properties: { a: { type: integer } } }\n    files: ${files}\n    commands: [{ cmd: cat }]\n`;
    expect(await faultOf(run('{ b: {} }'))).toContain('tools[0].files.b: there is no argument "b" in schema.');
    expect(await faultOf(run('{ a: {} }'))).toContain('must be type: string');
    const warned = await open('    command: python3\n    args: [{ name: code, type: file, positional: true }]\n');
    expect(warned.diagnostics.map(({ message }) => message)).toEqual([
      '"python3" runs what a model sends. Run it in a sandbox (sandbox: bwrap), or name the program to run.',
    ]);
  });
});

describe('standard input', () => {
  it('takes bytes from base64, and a command need not read it', async () => {
    const board = await open(`
    command: [sh, -c, "od -An -tx1"]
    args: [{ name: data, stdin: true, encoding: base64, required: true }]
`);
    expect((await board.call('t', { data: Buffer.from([0, 255, 10]).toString('base64') })).text).toBe(' 00 ff 0a\n');
    const deaf = await open(`
    command: [sh, -c, "exec <&-; echo done"]
    args: [{ name: data, stdin: true, required: true }]
`);
    expect((await deaf.call('t', { data: 'x'.repeat(3_000_000) })).text).toBe('done\n');
  });
});
