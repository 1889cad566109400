// A config that a command finds by itself must belong to this user or to root: opening a board runs what its config says.
// The tests give files to other users, so they need root.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ALONE, CLI } from '../cli-program.test-helper.ts';

const OTHER = 54_321;
const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-found-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));
chmodSync(top, 0o755);

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The user who types it; root by default. */
  readonly user?: number;
}

/** Runs the real command line. */
function pegboard(args: readonly string[], { cwd, env = {}, user = 0 }: RunOptions): Promise<Outcome> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: top, ...ALONE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    uid: user,
    gid: user,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((settle) => child.on('close', (code) => settle({ code, stdout, stderr })));
}

/** Returns true when another user can reach the program and the code: a checkout may lie in a closed home folder. */
function isOpenToAll(path: string): boolean {
  return path === dirname(path) || ((statSync(path).mode & 0o005) === 0o005 && isOpenToAll(dirname(path)));
}

let boards = 0;

/** A folder with a board whose script leaves a mark when it is loaded, and a folder below it to work in. */
function makeBoard(): { readonly folder: string; readonly file: string; readonly below: string; hasRun(): boolean } {
  const folder = join(top, `board-${++boards}`);
  const below = join(folder, 'a/b');
  mkdirSync(below, { recursive: true });
  const mark = join(folder, 'mark');
  writeFileSync(
    join(folder, 'tools.js'),
    `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(mark)}, '');
export const tool = { metadata: { name: 'tool', description: 'Does.' }, schema: { type: 'object' }, execute: () => 'done' };
`,
  );
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, 'tools: [{ type: script, file: tools.js }]\n');
  return { folder, file, below, hasRun: () => existsSync(mark) };
}

function give(path: string, owner = OTHER): void {
  lchownSync(path, owner, owner);
}

function refusal(file: string, path = file, owner = OTHER): string {
  const what = path === file ? '' : `, found for "${file}",`;
  return `error "${path}"${what} belongs to another user (${owner}), who could make you run anything. Check the config, then name it with --file "${file}", or add --trust.\n`;
}

describe.runIf(process.geteuid?.() === 0)("another user's config", () => {
  it.each([
    [['validate']],
    [['list']],
    [['show', 'tool']],
    [['call', 'tool']],
    [['doctor']],
    [['prompt']],
    [['lock']],
    [['serve']],
    [['serve', '--show-token']],
    [['serve', '--print-config', 'claude-code']],
    [['rag', 'status']],
  ])('in a folder above is not opened by %j', async (args) => {
    const { file, below, hasRun } = makeBoard();
    give(file);
    expect(await pegboard(args, { cwd: below })).toEqual({ code: 1, stdout: '', stderr: refusal(file) });
    expect(hasRun()).toBe(false);
  });

  it('is not opened in the folder itself', async () => {
    const { folder, file, hasRun } = makeBoard();
    give(file);
    expect((await pegboard(['validate'], { cwd: folder })).stderr).toBe(refusal(file));
    expect(hasRun()).toBe(false);
  });

  it('is told to programs as an error with a code', async () => {
    const { folder, file } = makeBoard();
    give(file);
    const { stdout } = await pegboard(['validate', '--json'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'permission_denied' } });
  });

  it('is opened when it is named, or trusted', async () => {
    const { file, below, hasRun } = makeBoard();
    give(file);
    for (const args of [['--file', file], [file], ['../../pegboard.yaml']]) {
      expect(await pegboard(['validate', ...args], { cwd: below })).toMatchObject({ code: 0, stderr: '' });
      // To name a file is to look at it.
      expect(hasRun()).toBe(false);
    }
    expect(await pegboard(['validate', '--trust'], { cwd: below })).toMatchObject({ code: 0, stderr: '' });
    expect(hasRun()).toBe(true);
  });

  it.each([
    ['the folder', ({ folder }: ReturnType<typeof makeBoard>): string => folder],
    ['the data folder beside it', ({ folder }) => join(folder, '.pegboard')],
    ['the lock beside it', ({ folder }) => join(folder, 'pegboard.lock')],
  ])('can also be one of which %s is theirs', async (_, pathOf) => {
    const board = makeBoard();
    const path = pathOf(board);
    if (path.endsWith('.lock')) writeFileSync(path, '');
    else mkdirSync(path, { recursive: true });
    give(path);
    expect((await pegboard(['validate'], { cwd: board.below })).stderr).toBe(refusal(board.file, path));
    expect(board.hasRun()).toBe(false);
  });

  it('can also hide behind a link, or be a link', async () => {
    const theirs = makeBoard();
    give(theirs.file);
    const link = join(theirs.below, 'pegboard.yaml');
    symlinkSync(theirs.file, link);
    expect((await pegboard(['validate'], { cwd: theirs.below })).stderr).toBe(refusal(link));
    const mine = makeBoard();
    const lure = join(theirs.folder, 'a/pegboard.yml');
    symlinkSync(mine.file, lure);
    give(lure);
    expect((await pegboard(['validate'], { cwd: dirname(lure) })).stderr).toBe(refusal(lure));
    const shared = makeBoard();
    give(shared.folder);
    const linked = join(mine.below, 'pegboard.yaml');
    symlinkSync(shared.file, linked);
    expect((await pegboard(['validate'], { cwd: mine.below })).stderr).toBe(refusal(linked, shared.folder));
  });

  it('does not matter where one of your own is nearer', async () => {
    const { file, below } = makeBoard();
    give(file);
    writeFileSync(join(below, 'pegboard.yaml'), 'tools: []\n');
    expect(await pegboard(['validate'], { cwd: below })).toMatchObject({ code: 0, stderr: '' });
  });

  it('is yours under sudo, and only then', async () => {
    const { folder, file, below } = makeBoard();
    for (const path of [file, folder]) give(path);
    const run = (env: Readonly<Record<string, string>>): Promise<Outcome> => pegboard(['list'], { cwd: below, env });
    expect((await run({ SUDO_UID: String(OTHER) })).code).toBe(0);
    for (const SUDO_UID of ['1', '', `${OTHER} `, `-${OTHER}`, 'x'])
      expect((await run({ SUDO_UID })).stderr).toBe(refusal(file));
  });

  const canBeOther = [process.execPath, dirname(CLI)].every(isOpenToAll);
  it.runIf(canBeOther)("is root's, which every user trusts, or another's, whatever SUDO_UID says", async () => {
    const { folder, file, below, hasRun } = makeBoard();
    chmodSync(folder, 0o777);
    expect(await pegboard(['list'], { cwd: below, user: OTHER })).toMatchObject({ code: 0, stderr: '' });
    expect(hasRun()).toBe(true);
    give(file, OTHER + 1);
    const fooled = await pegboard(['list'], { cwd: below, user: OTHER, env: { SUDO_UID: String(OTHER + 1) } });
    expect(fooled.stderr).toBe(refusal(file, file, OTHER + 1));
    give(file);
    expect((await pegboard(['list'], { cwd: below, user: OTHER })).code).toBe(0);
  });
});
