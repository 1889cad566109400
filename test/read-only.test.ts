// A data folder that cannot be written: what is there can be searched, and nothing that works without it fails.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../src/index.ts';
import { CLI } from './cli-program.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const CONFIG = `
tools:
  - { name: hello, description: Say hello, type: cli, command: [echo, hello] }
  - { name: notes, description: Notes, type: rag, collection: notes, operations: [search, store] }
discovery: { learn: true, tools: true }
`;

/** Modes do not hold for root: the disk itself is made read-only, for one process alone, where root may do that. */
const isRoot = process.getuid?.() === 0;
const canTry = !isRoot || spawnSync('unshare', ['-m', 'true']).status === 0;

interface Outcome {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder with a config and its data, in which a note is stored; each run sees the data on a disk that is read-only. */
async function prepare(): Promise<{ data: string; run(...args: string[]): Promise<Outcome> }> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-read-only-'));
  const data = dataOf(folder);
  onTestFinished(() => {
    chmodSync(data, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, CONFIG);
  const board = await openBoard(file, { cwd: folder });
  await board.call('notes-store', { content: 'Flour is on the third shelf.' });
  await board.store.space('x').set('kept', 1);
  await board.close();
  const run = async (...args: string[]): Promise<Outcome> => {
    const words = [process.execPath, CLI, ...args];
    const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
    if (!isRoot) chmodSync(data, 0o500);
    const [command = '', ...rest] = isRoot ? ['unshare', '-m', 'sh', '-c', mount, data, ...words] : words;
    const child = spawn(command, rest, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    child.stdin.end();
    const [code] = await once(child, 'close');
    return { code, stdout, stderr };
  };
  return { data, run };
}

describe.skipIf(!canTry)('a data folder that cannot be written', () => {
  it('is searched, and says what to do when something shall be stored', async () => {
    const { data, run } = await prepare();
    const found = await run('call', 'notes-search', '--arg', 'query=flour');
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('third shelf') });
    const refused = await run('call', 'notes-store', '--arg', 'content=Sugar is out.');
    expect(refused.code).toBe(1);
    expect(refused.stderr + refused.stdout).toContain(
      `The knowledge store ${join(data, 'knowledge.db')} cannot be written. It can be searched. To store something, name another file, or set data in pegboard.yaml, or PEGBOARD_DATA, to a folder that can be written.`,
    );
    expect(readdirSync(data).toSorted()).toEqual(['.gitignore', 'board.db', 'knowledge.db']);
  });

  it('is searched with what a process that was killed left beside the file', async () => {
    const { data, run } = await prepare();
    const folder = join(data, '..', 'live');
    mkdirSync(folder);
    writeFileSync(join(folder, 'pegboard.yaml'), CONFIG);
    const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
    await board.call('notes-store', { content: 'Sugar is in the cellar.' });
    // As they are on disk while the board is open: the note is still beside the file.
    for (const name of ['knowledge.db', 'knowledge.db-wal']) {
      copyFileSync(join(dataOf(folder), name), join(data, name));
    }
    await board.close();
    expect((await run('call', 'notes-search', '--arg', 'query=sugar')).stdout).toContain('in the cellar');
  });

  it('does not take down what needs no store, and says once that nothing can be kept', async () => {
    const { data, run } = await prepare();
    expect(await run('list')).toMatchObject({ code: 0, stdout: expect.stringContaining('hello') });
    const called = await run('call', 'hello');
    expect(called).toMatchObject({ code: 0, stdout: 'hello\n' });
    const said = called.stderr.split('\n').filter((line) => line.includes('Nothing can be stored'));
    expect(said).toEqual([
      `warning Nothing can be stored in ${data}, which is not writable: the board's data is lost when it ends. Set data in pegboard.yaml, or PEGBOARD_DATA, to a folder that can be written.`,
    ]);
  });
});
