// Approvals across processes: asked in one, answered in another, with ends in between.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ApprovalRecord, type Board, openBoard, type OpenBoardOptions } from '../src/index.ts';
import { startPostgres } from '../src/platform/postgres/test-server.test-helper.ts';
import { atTerminal } from './terminal.test-helper.ts';
import { CLI, entryFile } from './cli-program.test-helper.ts';
import { needs } from './needs.test-helper.ts';

const INDEX = entryFile('index');
const root = mkdtempSync(join(tmpdir(), 'pegboard-approvals-story-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
const BOARD = `name: desk
tools:
  - name: note
    description: Write a line
    type: cli
    command: tee -a ran.txt
    risk: write
    args: [{ name: text, type: string, required: true, stdin: true }]
  - name: yes
    description: Answer oneself
    type: cli
    command: ${process.execPath} ${CLI} approvals allow
    risk: read
    args: [{ name: id, type: string, required: true, positional: true }]
  - name: bare
    description: Answer oneself without an environment
    type: cli
    command: env -i ${process.execPath} ${CLI} approvals allow
    risk: read
    args: [{ name: id, type: string, required: true, positional: true }]
policy:
  approval: { headless: wait }
`;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'board-'));
  writeFileSync(join(folder, 'pegboard.yaml'), BOARD);
});

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: folder,
  XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
});

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(...args: readonly string[]): Promise<Outcome> {
  try {
    const options = { cwd: folder, env: environment() };
    return { code: 0, ...(await promisify(execFile)(process.execPath, [CLI, ...args], options)) };
  } catch (error) {
    // The type that `execFile` rejects with when the program fails.
    return error as Outcome;
  }
}

/** Starts a program that makes one call of a board, prints the result and ends. */
function startCall(options: string, tool = 'note', args = "{ text: 'once' }"): ChildProcess {
  const code = `
    import { openBoard } from ${JSON.stringify(INDEX)};
    const board = await openBoard('pegboard.yaml');
    const result = await board.call(${JSON.stringify(tool)}, ${args}, ${options});
    console.log(JSON.stringify(result));
    await board.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function resultOf(
  child: ChildProcess,
): Promise<{ readonly text: string; readonly error?: { readonly code: string } }> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return JSON.parse(text);
}

async function open(options: OpenBoardOptions = {}): Promise<Board> {
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, env: environment(), ...options });
  onTestFinished(() => board.close());
  return board;
}

const waiting = (board: Board): Promise<ApprovalRecord> =>
  vi.waitFor(
    async () => {
      const [first] = await board.approvals.list();
      if (first === undefined) throw new Error('Nothing waits.');
      return first;
    },
    { timeout: 20_000 },
  );

const ran = (): string => (existsSync(join(folder, 'ran.txt')) ? readFileSync(join(folder, 'ran.txt'), 'utf8') : '');

describe('pegboard approvals', () => {
  it('shows and answers a call that waits in another process', needs('python3'), async () => {
    const board = await open();
    const child = startCall('{}');
    const result = resultOf(child);
    const { id } = await waiting(board);
    const listed = await run('approvals', 'list');
    expect(listed.stdout).toMatch(new RegExp(`^20\\S+ \\S+ +${id} +note +write +waiting +code *$`, 'm'));
    const shown = await run('approvals', 'show', id.slice(0, 8));
    expect(shown.stdout).toContain('Allow note (write) with these arguments?\n  text: "once"\n');
    const refused = await run('approvals', 'allow', id);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Approving needs a terminal.') });
    const { shown: screen, code } = await atTerminal(['approvals', 'allow', id], {
      cwd: folder,
      steps: [['Allow this call', 'y']],
    });
    expect(screen).toContain('text: "once"');
    expect([code, (await result).text]).toEqual([0, 'once']);
    expect(JSON.parse((await run('approvals', 'list', '--status', 'spent', '--json')).stdout)).toMatchObject([
      { id, answer: { by: expect.stringMatching(/ at the terminal$/), scope: 'once' } },
    ]);
  });

  it('counts one of two answers that two processes give at once', async () => {
    const board = await open();
    const { error } = await board.call('note', { text: 'x' }, { approval: { key: 'a', defer: true } });
    const id = error?.approvalId ?? '';
    const answers = await Promise.all([
      run('approvals', 'deny', id, '--reason', 'One.'),
      run('approvals', 'deny', id, '--reason', 'Two.'),
    ]);
    expect(answers.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(answers.find(({ code }) => code === 1)?.stderr).toMatch(
      /was answered already: .* at the terminal denied it/,
    );
  });

  it('writes a line of the policy that it showed, or takes other arguments', needs('python3'), async () => {
    const board = await open();
    const first = await board.call('note', { text: 'a' }, { approval: { key: 'a', defer: true } });
    const always = await atTerminal(['approvals', 'allow', first.error?.approvalId ?? '', '--always', 'args'], {
      cwd: folder,
      steps: [['Allow this call', 'y']],
    });
    expect(always.shown).toContain('This would be written under policy.approved of pegboard.yaml:');
    expect(always.shown).toContain('- {tool: note, args: {text: a}, risk: write, definition: sha256-');
    expect(readFileSync(join(folder, 'pegboard.yaml'), 'utf8')).toContain(
      '\n  approved:\n    - {tool: note, args: {text: a}, risk: write, definition: sha256-',
    );
    const second = await board.call('note', { text: 'b' }, { approval: { key: 'b', defer: true } });
    const editor = join(folder, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\necho \'{"text":"edited"}\' > "$1"\n', { mode: 0o755 });
    const edited = await atTerminal(['approvals', 'allow', second.error?.approvalId ?? '', '--edit'], {
      cwd: folder,
      env: { EDITOR: editor, VISUAL: '' },
      steps: [['Allow this call', 'y']],
    });
    expect(edited.shown).toContain('text: "edited"');
    await board.call('note', { text: 'b' }, { approval: { key: 'b', defer: true } });
    expect(ran()).toBe('edited');
  });

  it('refuses a yes from a process that a call has started, also one without an environment', async () => {
    const board = await open();
    const { error } = await board.call('note', { text: 'x' }, { approval: { key: 'a', defer: true } });
    const id = error?.approvalId ?? '';
    for (const tool of ['yes', 'bare']) {
      const result = await board.call(tool, { id });
      expect(result.text).toContain(
        'This process was started by a call of a board, and such processes cannot answer approvals.',
      );
    }
    expect(await board.approvals.get(id)).toMatchObject({ status: 'waiting' });
  });
});

describe('a call under a key', () => {
  const DEFERRED = "{ approval: { key: 'run/1', defer: true } }";

  it('goes on after the boards that asked and answered are closed, and runs once', async () => {
    const approval = { key: 'run/1', defer: true };
    const asking = await open();
    const { error } = await asking.call('note', { text: 'once' }, { approval });
    await asking.close();
    const answering = await open();
    await answering.approvals.answer(error?.approvalId ?? '', { allow: true, by: 'ada' });
    await answering.close();
    const both = await Promise.all([resultOf(startCall(DEFERRED)), resultOf(startCall(DEFERRED))]);
    expect(both.map(({ error: fault }) => fault?.code ?? 'ok').toSorted()).toEqual(['ok', 'outcome_unknown']);
    expect(ran()).toBe('once');
  });

  it('waits on when its process is killed before the answer; one without a key is over', async () => {
    const keyed = "{ approval: { key: 'run/2' } }";
    const children = [startCall(keyed), startCall('{}')];
    const board = await open();
    const rows = await vi.waitFor(
      async () => {
        const found = await board.approvals.list();
        expect(found).toHaveLength(2);
        return found;
      },
      { timeout: 20_000 },
    );
    const ended = Promise.all(children.map((child) => once(child, 'close')));
    for (const child of children) child.kill('SIGKILL');
    await ended;
    expect(await board.approvals.list()).toMatchObject([{ key: 'run/2', status: 'waiting' }]);
    const idOf = (key: string | undefined): string => rows.find((row) => row.key === key)?.id ?? '';
    await expect(board.approvals.answer(idOf(undefined), { allow: true })).rejects.toThrow(
      'the call ended before it was answered',
    );
    await board.approvals.answer(idOf('run/2'), { allow: true });
    expect((await resultOf(startCall(keyed))).text).toBe('once');
  });

  it('is not made twice when its process is killed after the yes was used', async () => {
    writeFileSync(
      join(folder, 'tools.ts'),
      `import { appendFileSync } from 'node:fs';
      import { defineTool } from ${JSON.stringify(INDEX)};
      export default defineTool({ name: 'die', description: 'Die', risk: 'write', schema: { type: 'object' }, execute() {
        appendFileSync('ran.txt', 'ran ');
        process.kill(process.pid, 'SIGKILL');
      } });`,
    );
    writeFileSync(
      join(folder, 'pegboard.yaml'),
      'tools: [{ type: script, file: tools.ts }]\npolicy: { approval: { headless: wait } }',
    );
    const board = await open();
    const { error } = await board.call('die', {}, { approval: { key: 'run/1', defer: true } });
    await board.approvals.answer(error?.approvalId ?? '', { allow: true });
    const child = startCall(DEFERRED, 'die', '{}');
    const [, signal] = (await once(child, 'close')) as [unknown, string];
    expect([signal, ran()]).toEqual(['SIGKILL', 'ran ']);
    expect((await resultOf(startCall(DEFERRED, 'die', '{}'))).error).toMatchObject({ code: 'outcome_unknown' });
    expect(ran()).toBe('ran ');
  });
});

it.each([
  ['was changed', BOARD.replace('tee -a ran.txt', 'tee -a other.txt')],
  ['is held back by the lock', `lock: deny\n${BOARD.replace('Write a line', 'Write two lines')}`],
])('is not run when the tool %s while it waited', async (_, changed) => {
  if (changed.startsWith('lock')) expect((await run('lock')).code).toBe(0);
  const board = await open();
  const call = board.call('note', { text: 'x' });
  const { id } = await waiting(board);
  writeFileSync(join(folder, 'pegboard.yaml'), changed);
  expect(await board.reload()).toEqual({ ok: true });
  expect(board.registry.has('note')).toBe(!changed.startsWith('lock'));
  await board.approvals.answer(id, { allow: true });
  expect((await call).error).toMatchObject({ code: 'permission_denied', reason: 'changed while it waited' });
  expect(existsSync(join(folder, 'other.txt')) || existsSync(join(folder, 'ran.txt'))).toBe(false);
});

it('holds on PostgreSQL: sealed, answered once, used once', needs('postgresql'), async () => {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const key = Buffer.alloc(32, 7).toString('base64');
  const options = { store: server.url, env: { ...environment(), PEGBOARD_KEY: key } };
  const boards = await Promise.all([open(options), open(options)]);
  const [one, two] = boards;
  const approval = { key: 'run/1', defer: true };
  const blocked = one.call('note', { text: 'blocked' });
  const asked = await waiting(two);
  await two.approvals.answer(asked.id, { allow: true });
  expect((await blocked).text).toBe('blocked');
  const { error } = await one.call('note', { text: 'once' }, { approval });
  const id = error?.approvalId ?? '';
  expect(JSON.stringify(await one.store.space('approvals').entries())).not.toContain('once');
  const answers = await Promise.allSettled(boards.map((board) => board.approvals.answer(id, { allow: true })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const results = await Promise.all(boards.map((board) => board.call('note', { text: 'once' }, { approval })));
  expect(results.map((result) => result.error?.code ?? 'ok').toSorted()).toEqual(['ok', 'outcome_unknown']);
  expect(ran()).toBe('blockedonce');
});
