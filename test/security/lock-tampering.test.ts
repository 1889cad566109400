// A lock that was edited or damaged never loosens anything silently.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../../src/index.ts';
import { CLI } from '../cli-program.test-helper.ts';

const BOARD = `tools:
  - { name: note, type: cli, description: Note, risk: write, command: echo noted }
  - { name: wipe, type: cli, description: Wipe, risk: destructive, command: echo wiped }
`;

interface LockText {
  version: number;
  files: string[];
  tools: Record<string, { hash: string; origin: string; definition: Record<string, unknown> }>;
}

/** Edits a lock; gives its new text, or nothing where it has put something else in its place. */
type Edit = (lock: LockText, file: string) => string | undefined;

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
const EDITS: readonly (readonly [string, Edit, string])[] = [
  [
    'an entry was removed',
    (lock) => json({ ...lock, tools: { note: lock.tools['note'] } }),
    '"wipe" (cli pegboard.yaml) is new',
  ],
  [
    'a definition was edited',
    (lock) => json(lock).replace('"description": "Wipe"', '"description": "Tidy"'),
    'has a definition of "wipe" that does not fit its hash: it was edited by hand',
  ],
  ['a hash was edited', (lock) => json(lock).replace(/"sha256-.{5}/, '"sha256-AAAAA'), 'that does not fit its hash'],
  [
    'a name stands twice',
    (lock) => json(lock).replace('"tools": {', `"tools": {\n"wipe": ${json(lock.tools['note'])},`),
    'has "wipe" twice in one place',
  ],
  [
    'a name stands twice, written otherwise',
    (lock) => json(lock).replace('"tools": {', `"tools": {\n"\\u0077ipe": ${json(lock.tools['note'])},`),
    'has "wipe" twice in one place',
  ],
  [
    'a name only looks the same',
    (lock) => json(lock).replace('"wipe": {', '"wіpe": {'),
    '"wіpe" (cli pegboard.yaml) is called "wipe" now',
  ],
  [
    'it is of other files',
    (lock) => json({ ...lock, files: ['other.yaml'] }),
    'is of other files ("other.yaml"), not of pegboard.yaml',
  ],
  ['it has a newer version', (lock) => json({ ...lock, version: 2 }), 'is of version 2, which a newer Pegboard wrote'],
  ['it has no tools', (lock) => json({ ...lock, tools: undefined }), 'is not a lock of version 1'],
  ['it is empty', () => '', 'is no JSON'],
  ['it is a list', () => '[]', 'is not a lock of version 1'],
  ['it is nested without end', () => `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'is no'],
  [
    'it is a link that leads nowhere',
    (_, file) => {
      rmSync(file);
      symlinkSync('nowhere', file);
      return undefined;
    },
    'cannot be read',
  ],
  [
    'it is huge',
    (_, file) => {
      truncateSync(file, 3_000_000_000);
      return undefined;
    },
    'is not a file of at most 100 MB',
  ],
  [
    'it pins a plugin that is not there',
    (lock) => json({ ...lock, plugins: { './gone.mjs': 'sha256-x' } }),
    '"plugin ./gone.mjs" (code) is gone',
  ],
];

async function makeLocked(mode: string, edit: Edit): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-tampered-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'pegboard.yaml'), mode + BOARD);
  const board = await openBoard({ files: 'pegboard.yaml', cwd: folder, env: {}, lock: 'ignore' });
  board.lock.write();
  await board.close();
  const file = join(folder, 'pegboard.lock');
  const text = edit(JSON.parse(readFileSync(file, 'utf8')) as LockText, file);
  if (text !== undefined) writeFileSync(file, text);
  return folder;
}

it.for(EDITS)('where %s, that is said and nothing is loosened', async ([what, edit, message]) => {
  const open = await makeLocked('', edit);
  const board = await openBoard({ files: 'pegboard.yaml', cwd: open, env: {} });
  onTestFinished(() => board.close());
  // The library, serve and validate report it.
  expect(board.diagnostics.map((one) => one.message).join('\n')).toContain(message);
  const closed = await openBoard({ files: 'pegboard.yaml', cwd: await makeLocked('lock: deny\n', edit), env: {} });
  onTestFinished(() => closed.close());
  const isWhole = what.includes('plugin that is not there');
  expect(closed.registry.has('wipe')).toBe(isWhole);
});

it.for(['a name stands twice', 'it is of other files', 'it is empty', 'it is a link that leads nowhere'])(
  'the commands say so where %s',
  async (what) => {
    const [, edit, message] = EDITS.find(([name]) => name === what) ?? ['', () => undefined, ''];
    const folder = await makeLocked('', edit);
    const run = (...args: string[]): Promise<{ code: number; text: string }> =>
      new Promise((resolve) => {
        execFile(process.execPath, [CLI, ...args], { cwd: folder }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
        );
      });
    expect((await run('validate')).text).toContain(message);
    expect(await run('lock', '--check')).toMatchObject({ code: 1, text: expect.stringContaining('cannot be used') });
    expect((await run('doctor')).text).toContain('cannot be used; run pegboard lock');
  },
);
