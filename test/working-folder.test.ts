// The working folder of commands and servers, and the places of their programs, must not depend on the folder in which pegboard was started.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Board, openBoard } from '../src/index.ts';
import { CLI } from './cli-program.test-helper.ts';
import { startServe, waitForText } from './mcp/serve-process.test-helper.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-where-')));
// The board's data must not lie in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
afterAll(() => rmSync(top, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

const tool = (name: string, command: string, more = ''): string =>
  `  - { name: ${name}, type: cli, description: Say where, risk: read, command: ${command}${more} }\n`;
const where = (name: string): string => `#!/bin/sh\necho "${name} in $PWD"\n`;
const SERVER = `#!${process.execPath}
const answers = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'here', version: '1' } },
  'tools/list': { tools: [{ name: 'where', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: process.cwd() }] },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }));
});
`;

let file = '';
beforeAll(() => {
  write('own.sh', where('own'));
  write('parts/own.sh', where('part'));
  write('bin/own.sh', where('bin'));
  // A folder that a call could choose.
  write('trap/own.sh', where('trap'));
  write('server', SERVER);
  write(
    'parts/part.yaml',
    `tools:\n${tool('part_script', './own.sh')}${tool('part_dir', 'pwd', ', working_dir: ../bin')}`,
  );
  file = write(
    'pegboard.yaml',
    `import: parts/part.yaml
tools:
${tool('script', './own.sh')}${tool('plain', 'pwd')}${tool('in_bin', './own.sh', ', working_dir: bin')}${tool('gone', './gone.sh')}${tool('chosen', './own.sh', ', working_dir: parts, args: [{ name: dir, cwd: true }]')}
  - name: steps
    type: run
    description: Say where
    risk: read
    schema: { properties: { dir: { type: string, format: path } }, required: [dir] }
    commands: [{ cmd: ./own.sh }, { cmd: ./own.sh, workingDir: bin }, { cmd: ./own.sh, workingDir: '{{dir}}' }]
  - { name: listed, type: cli, description: List, risk: read, command: cat, args: [{ name: at, positional: true, required: true, path: true }] }
mcpServers:
  here: { command: ./server, risk: read, paths: [] }
  below: { command: ../server, cwd: bin, risk: read, paths: [] }
policy: { roots: [.] }
`,
  );
});

async function useBoard<T>(options: { cwd?: string; file?: string }, work: (board: Board) => Promise<T>): Promise<T> {
  const board = await openBoard(options.file ?? file, { cwd: options.cwd ?? '/', data: join(top, 'data') });
  try {
    return await work(board);
  } finally {
    await board.close();
  }
}

describe('a board that was started elsewhere', () => {
  it('runs commands and servers in the folder of its file, and finds the programs that the files name', () =>
    useBoard({}, async (board) => {
      await board.ready({ retry: true });
      const text = async (name: string, args = {}): Promise<string> => (await board.call(name, args)).text.trim();
      expect(await text('plain')).toBe(folder);
      expect(await text('script')).toBe(`own in ${folder}`);
      expect(await text('in_bin')).toBe(`bin in ${folder}/bin`);
      expect(await text('part_script')).toBe(`part in ${folder}`);
      expect(await text('part_dir')).toBe(`${folder}/bin`);
      expect(await text('here__where')).toBe(folder);
      expect(await text('below__where')).toBe(`${folder}/bin`);
    }));

  it('lets no call choose the program by its folder, and starts folders of calls at working_dir', () =>
    useBoard({}, async (board) => {
      expect((await board.call('chosen', { dir: '../trap' })).text.trim()).toBe(`part in ${folder}/trap`);
      expect((await board.call('steps', { dir: 'trap' })).text).toBe(
        `own in ${folder}\nbin in ${folder}/bin\nown in ${folder}/trap`,
      );
      const refused = await board.call('chosen', { dir: '../..' });
      expect(refused).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    }));

  it('holds relative values of calls to roots that are relative to the file', () =>
    useBoard({}, async (board) => {
      expect((await board.call('listed', { at: 'bin/own.sh' })).text).toBe(where('bin'));
      expect(await board.call('listed', { at: '../x' })).toMatchObject({ error: { code: 'invalid_arguments' } });
    }));

  it('names the folder in which a program is missing', () =>
    useBoard({}, async (board) => {
      const { error } = await board.call('gone');
      expect(error?.message).toBe(
        `The command "./gone.sh" does not exist in "${folder}". Install it, or correct its path.`,
      );
    }));

  it('runs where pegboard was started when working_dir says so, and a CLImax file always does', async () => {
    const mine = write('mine.yaml', `working_dir: \${PEGBOARD_CWD}\ntools:\n${tool('plain', 'pwd')}`);
    const other = write('other.yaml', `working_dir: bin\ntools:\n${tool('plain', 'pwd')}`);
    const climax = write('climax.yaml', 'name: sh\ncommand: pwd\ntools: [{ name: plain, description: Say where }]\n');
    const said = (path: string): Promise<string> =>
      useBoard({ file: path, cwd: join(folder, 'trap') }, async (board) => (await board.call('plain')).text.trim());
    expect(await said(mine)).toBe(`${folder}/trap`);
    expect(await said(other)).toBe(`${folder}/bin`);
    expect(await said(climax)).toBe(`${folder}/trap`);
  });
});

it('is the same through call, a dry run, show and serve', async () => {
  const run = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [CLI, ...args, '-f', file], { cwd: '/' })).stdout;
  const child = startServe([file], { cwd: '/' });
  const request = (id: number, method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  try {
    const answered = waitForText(child.stdout, /"id":1,.*\n/);
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    child.stdin?.write(request(0, 'initialize', hello) + request(1, 'tools/call', { name: 'script', arguments: {} }));
    const [served, called, dry, shown] = await Promise.all([
      answered,
      run('call', 'script'),
      run('call', 'part_script', '--dry-run'),
      run('show', 'script'),
    ]);
    expect(served).toContain(`own in ${folder}`);
    expect(called.trim()).toBe(`own in ${folder}`);
    expect(dry).toContain(`argv:\n  "${folder}/parts/own.sh"\ncwd: ${folder}\n`);
    expect(shown).toContain(`cwd      ${folder}\n`);
  } finally {
    child.kill('SIGKILL');
  }
});
