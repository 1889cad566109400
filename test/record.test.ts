// The record of calls: by every process of a board, whoever makes them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Board, defineTool, openBoard, type OpenBoardOptions, ToolError } from '../src/index.ts';
import { defineAgent, runAgent } from '../src/agent.ts';
import { startInspector } from '../src/inspector.ts';
import { scriptedModel } from '../src/testing.ts';
import type { RecordedCall } from '../src/features/record/board-calls.ts';
import { CLI } from './cli-program.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const root = mkdtempSync(join(tmpdir(), 'pegboard-record-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'board-'));
});

const echo = defineTool({
  name: 'echo',
  description: 'Say it again',
  schema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const outer = defineTool({
  name: 'outer',
  description: 'Call another tool',
  schema: z.object({}),
  execute: async (_, context) => {
    const board = context.getMeta('board') as Board;
    return (await board.call('echo', { text: 'inner' }, { context })).text;
  },
});

async function open(config: string, options: OpenBoardOptions = {}): Promise<Board> {
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(
    file,
    `${config}\ntools:
  - { name: wait, type: cli, description: W, command: sleep 600, risk: read }
  - { name: say, type: cli, description: S, command: echo, args: [{ name: text, positional: true }], risk: read }`,
  );
  const board = await openBoard(file, { cwd: folder, tools: [echo, outer], ...options });
  onTestFinished(() => board.close());
  return board;
}

const facts = (calls: readonly RecordedCall[]): unknown[] =>
  calls.map(({ tool, outcome, by, caller }) => [tool, outcome, by, caller].join(' ').trim());

it('keeps little of a name and an id that a caller made up, and no secret in them', async () => {
  const board = await open('serve: { token: "${TOKEN}" }', { env: { ...process.env, TOKEN: 'open-sesame-4711' } });
  await board.call('tell open-sesame-4711 '.repeat(5_000), {}, { callId: 'c'.repeat(100_000) });
  const [call] = await board.calls.list();
  expect(call).toMatchObject({ outcome: 'not_found' });
  expect(JSON.stringify(call)).not.toContain('open-sesame-4711');
  expect(call?.tool).toHaveLength(128);
  expect(JSON.stringify(call).length).toBeLessThan(1_000);
});

it('has each call with its caller, outcome, times and sizes, and no values', async () => {
  const board = await open('record: summary');
  await board.call('echo', { text: 'sesame' });
  await board.call('echo', { text: 7 }, { context: { caller: 'ada', sessionId: 's1' } });
  await board.call('nothing', { text: 'sesame' });
  const calls = await board.calls.list();
  expect(new Set(facts(calls))).toEqual(
    new Set(['echo invalid_arguments code ada', 'echo ok code', 'nothing not_found code']),
  );
  const ok = calls.find(({ outcome }) => outcome === 'ok');
  expect(ok).toMatchObject({ outputChars: 6, attempts: 1, stages: { run: expect.any(Number) } });
  expect(JSON.stringify(calls)).not.toContain('sesame');
  expect(await board.calls.list({ caller: 'ada' })).toMatchObject([{ session: 's1' }]);
  expect(await board.calls.list({ tool: 'echo', outcome: 'ok' })).toHaveLength(1);
  expect(await board.calls.list({ since: Date.now() + 60_000 })).toEqual([]);
  expect(await board.calls.get(ok?.id ?? '')).toEqual(ok);
  expect(await board.calls.forget('ada')).toBe(1);
  expect(await board.calls.list()).toHaveLength(2);
});

it('shows arguments and results without secrets where that is asked for, by tool', async () => {
  const config = 'record: { level: off, tools: { echo: full } }\nenv: { MY_TOKEN: "${MY_TOKEN}" }';
  const board = await open(config, { env: { MY_TOKEN: 'sesame-open-123' } });
  await board.call('echo', { text: 'with sesame-open-123' });
  await board.call('outer', {}, { context: { board } });
  const calls = await board.calls.list();
  expect(facts(calls)).toEqual(['echo ok code', 'echo ok code']);
  expect(calls.at(-1)).toMatchObject({
    args: '{"text":"with [redacted]"}',
    result: expect.stringContaining('with [redacted]'),
  });
  expect(JSON.stringify(calls)).not.toContain('sesame-open-123');
});

it('is in memory on a board of code that is told no place, which leaves no folder behind', async () => {
  const env = { ...process.env, PEGBOARD_DATA: undefined, PEGBOARD_STORE: undefined };
  const board = await openBoard({ tools: [echo], cwd: folder, env });
  const follows = new AbortController();
  const followed = board.calls.follow({}, follows.signal).next();
  await board.call('echo', { text: 'x' }, { context: { caller: 'ada' } });
  expect((await followed).value).toMatchObject({ tool: 'echo', caller: 'ada' });
  expect(await board.calls.list()).toMatchObject([{ tool: 'echo', outcome: 'ok' }]);
  expect(await board.calls.forget('ada')).toBe(1);
  await board.close();
  expect(existsSync(dataOf(folder))).toBe(false);
  const kept = await openBoard({ tools: [echo], cwd: folder, env, data: join(folder, 'kept') });
  await kept.call('echo', { text: 'x' });
  await kept.close();
  expect(existsSync(join(folder, 'kept', 'board.db'))).toBe(true);
});

it('has a line for each attempt that another one followed', async () => {
  let left = 1;
  const flaky = defineTool({
    name: 'flaky',
    description: 'Fails once',
    schema: z.object({}),
    retries: 1,
    execute: () => {
      if (left-- === 0) return 'done';
      throw new ToolError({ code: 'upstream_unavailable', message: 'The line is busy' });
    },
  });
  const board = await open('record: { level: summary, tools: { flaky: full } }', { tools: [flaky] });
  await board.call('flaky', {}, { context: { caller: 'ada' } });
  const [call] = await board.calls.list();
  const whole = await board.calls.get(call?.id ?? '');
  expect(whole).toMatchObject({
    outcome: 'ok',
    attempts: 2,
    failedAttempts: [{ attempt: 1, outcome: 'upstream_unavailable', message: 'The line is busy' }],
  });
  const shown = start('calls', 'show', call?.id ?? '');
  await once(shown, 'close');
  expect(shown.printed()).toMatch(/attempts +2\nattempt 1 +\d{4}-\S+ upstream_unavailable after .*The line is busy/);
  // The call and its attempt, with a line at its start where it took long enough.
  expect(await board.calls.forget('ada')).toBeGreaterThanOrEqual(2);
  expect(await board.calls.get(call?.id ?? '')).toBeUndefined();
});

it('knows the call inside of which another was made', async () => {
  const board = await open('record: summary');
  await board.call('outer', {}, { context: { board } });
  const [inner, parent] = (await board.calls.list()).toSorted((one) => (one.tool === 'echo' ? -1 : 1));
  expect(inner).toMatchObject({ tool: 'echo', by: 'code', parent: parent?.id });
  expect(await board.calls.list({ parent: parent?.id })).toEqual([inner]);
});

it('has each run of an agent, its steps, their calls, and the runs of agents below', async () => {
  const board = await open('record: summary');
  const below = defineAgent({
    name: 'below',
    description: 'Says things.',
    model: scriptedModel([{ calls: [{ name: 'echo', input: { text: 'x' } }] }, 'Said.']),
    tools: ['echo'],
  });
  const model = scriptedModel([{ calls: [{ name: 'below', input: { task: 'Say x' } }] }, 'Done.']);
  const helper = defineAgent({ name: 'helper', model, tools: [], agents: [below] });
  await runAgent(helper, 'Go', { board, context: { caller: 'ada' } });
  await runAgent(defineAgent({ name: 'kept', model: scriptedModel(['Yes.']), tools: [] }), 'Go', {
    board,
    run: 'mine',
  });
  const inside = async (parent: string | undefined): Promise<readonly RecordedCall[]> =>
    (await board.calls.list({ parent: parent ?? '' })).toReversed();
  // Lists have no steps: those are looked at from their run.
  expect(facts(await board.calls.list())).toEqual(
    expect.arrayContaining(['helper ok code ada', 'below ok agent helper ada', 'echo ok agent helper → below ada']),
  );
  expect((await board.calls.list()).filter(({ part }) => part === 'step')).toEqual([]);
  const run = (await board.calls.list({ tool: 'helper' }))[0];
  expect(run).toMatchObject({ part: 'run', outcome: 'ok', steps: 2, usage: { totalTokens: expect.any(Number) } });
  const steps = await inside(run?.id);
  expect(steps.map(({ part, id, outcome }) => [part, id, outcome])).toEqual([
    ['step', `${run?.id}#1`, 'ok'],
    ['step', `${run?.id}#2`, 'ok'],
  ]);
  const [call] = await inside(steps[0]?.id);
  expect(call).toMatchObject({ tool: 'below', attempts: 1 });
  const [lower] = await inside(call?.id);
  expect(lower).toMatchObject({ part: 'run', tool: 'below', steps: 2, by: 'agent helper' });
  expect(facts(await inside(`${lower?.id}#1`))).toEqual(['echo ok agent helper → below ada']);
  expect(await board.calls.get('mine#1')).toMatchObject({ part: 'step', parent: 'mine', tool: 'kept' });
  const shown = start('calls', 'show', run?.id ?? '');
  await once(shown, 'close');
  expect(shown.printed()).toMatch(/step 1[^]*below[^]*agent below[^]*step 1[^]*echo[^]*step 2/);
  expect(await board.calls.forget('ada')).toBeGreaterThan(5);
});

it('says how a run failed, and records none where the record is off', async () => {
  const board = await open('record: { level: off, tools: { loud: summary } }');
  const model = (): ReturnType<typeof scriptedModel> =>
    scriptedModel([{ calls: [{ name: 'echo', input: { text: 'x' } }] }, 'Done.']);
  const maxSteps = 1;
  await runAgent(defineAgent({ name: 'quiet', model: model(), tools: ['echo'], maxSteps }), 'Go', { board });
  await runAgent(defineAgent({ name: 'loud', model: model(), tools: ['echo'], maxSteps }), 'Go', { board });
  expect(facts(await board.calls.list())).toEqual(['loud max_steps code']);
});

it('opens no store and writes nothing when it is off, or when nothing is called', async () => {
  const unused = await open('name: plain');
  expect(unused.registry.list().length).toBeGreaterThan(0);
  await unused.close();
  const board = await open('record: off');
  await board.call('echo', { text: 'x' });
  await board.close();
  expect(existsSync(dataOf(folder))).toBe(false);
});

it('fails no call when nothing can be kept', async () => {
  writeFileSync(join(folder, '../file'), '');
  const board = await open('record: summary\ndata: ../file');
  expect(await board.call('echo', { text: 'x' })).toMatchObject({ ok: true });
  await board.close();
});

function start(...args: string[]): ChildProcess & { printed: () => string } {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout?.on('data', (data: Buffer) => (printed += data.toString()));
  onTestFinished(() => void child.kill('SIGKILL'));
  return Object.assign(child, { printed: () => printed });
}

it('is one for all processes: they see calls that run, that ended, and that were lost', async () => {
  const board = await open('record: summary');
  const follower = start('calls', '--follow', '--json');
  const caller = start('call', 'wait');
  await expect
    .poll(async () => facts(await board.calls.list({ outcome: 'running' })))
    .toEqual(['wait running terminal']);
  await expect.poll(() => follower.printed()).toContain('"tool":"wait"');
  await board.call('echo', { text: 'x' });
  await expect.poll(() => follower.printed()).toContain('"tool":"echo"');
  caller.kill('SIGKILL');
  await once(caller, 'exit');
  expect(facts(await board.calls.list({ tool: 'wait' }))).toEqual(['wait lost terminal']);
  expect(await board.calls.list({ outcome: 'running' })).toEqual([]);
  const [ended] = await board.calls.list({ tool: 'echo' });
  const shown = start('calls', 'show', ended?.id ?? '');
  await once(shown, 'close');
  expect(shown.printed()).toMatch(/^call +\S+\ntool +echo\nby +code\nstarted +\S+\noutcome +ok\n/);
  expect(shown.printed()).toMatch(/run +█+ /);
});

it('makes a call again with the arguments it had, unless something was taken out of them', async () => {
  const config = 'record: full\nenv: { MY_TOKEN: "${MY_TOKEN:-sesame-open-123}" }';
  const board = await open(config);
  await board.call('say', { text: 'once more' });
  await board.call('say', { text: 'with sesame-open-123' });
  const [secret, plain] = await board.calls.list({ tool: 'say' });
  const again = start('calls', 'replay', plain?.id ?? '');
  const refused = start('calls', 'replay', secret?.id ?? '');
  await Promise.all([once(again, 'close'), once(refused, 'close')]);
  expect([again.printed(), again.exitCode, refused.exitCode]).toEqual(['once more\n', 0, 1]);
  expect(await board.calls.list({ tool: 'say', text: 'terminal (replay)' })).toMatchObject([{ args: plain?.args }]);
});

it('shows the inspector what other processes call', async () => {
  const board = await open('record: full');
  const inspector = await startInspector(board);
  onTestFinished(() => inspector.close());
  await once(start('call', 'say', 'text=from elsewhere'), 'close');
  const read = async (): Promise<unknown> => {
    const headers = { authorization: `Bearer ${inspector.token}` };
    const response = await fetch(`http://127.0.0.1:${inspector.port}/api/calls`, { headers });
    return response.json();
  };
  await expect.poll(read).toMatchObject({
    calls: [{ tool: 'say', caller: 'terminal', args: '{"text":"from elsewhere"}', outcome: { ok: true } }],
  });
});

it('keeps no more lines than it should, nor passwords that the schema marks', async () => {
  const login = defineTool({
    name: 'login',
    description: 'Log in',
    schema: { type: 'object', properties: { word: { type: 'string', format: 'password' } } },
    execute: () => 'in',
  });
  const board = await open('record: { level: full, max_lines: 20 }', { tools: [echo, login] });
  for (let round = 0; round < 5; round++) {
    for (let call = 0; call < 10; call++) await board.call('echo', { text: String(call) });
    await board.calls.list();
  }
  await board.call('login', { word: 'sesame' });
  const calls = await board.calls.list({ limit: 500 });
  expect(calls.length).toBeLessThanOrEqual(21);
  expect(calls[0]).toMatchObject({ tool: 'login', args: '{"word":"[hidden]"}' });
});

it('keeps no more of the disk than it should, however long its lines are', async () => {
  const board = await open('record: { level: full, max_size: 100KB }', { tools: [echo] });
  const text = 'x'.repeat(5_000);
  for (let round = 0; round < 10; round++) {
    for (let call = 0; call < 5; call++) await board.call('echo', { text, call: round * 5 + call });
    await board.calls.list();
  }
  const calls = await board.calls.list({ limit: 500 });
  // A line has the text twice: as argument and as result.
  expect(calls.length).toBeGreaterThan(5);
  expect(calls.length).toBeLessThan(20);
  expect(calls[0]?.args).toContain('"call":49');
});
