// Places that callers share: one caller that takes all it gets leaves some for the others, while its own work goes on.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../../src/platform/process/spawners.test-helper.ts';
import { type ServedBoard, serveTwoCallers } from './two-callers.test-helper.ts';

let board: ServedBoard | undefined;
afterEach(async () => board?.close());

const WAIT = `
  - name: wait
    type: cli
    description: Works until the file is there
    risk: read
    timeout: 10m
    command: [sh, -c, 'touch "started-$1"; until [ -e gate ]; do sleep 0.05; done', _]
    args: [{ name: who, positional: true, default: x }]`;
const HELLO = `
  - { name: hello, type: cli, description: Says hello, command: echo hello, risk: read }`;

/** Counts the commands of a caller that have begun. */
const begun = (folder: string, many: number): number =>
  Array.from({ length: many }, (_, at) => existsSync(join(folder, `started-${at}`))).filter(Boolean).length;

it('leaves places for commands to others, although one caller asks for hundreds that do not end', async () => {
  board = await serveTwoCallers(`processes: { concurrency: 8, queue: 100 }\ntools:${WAIT}${HELLO}`);
  const { folder, call } = board;
  const calls = Array.from({ length: 120 }, (_, at) => call('mallory', 'wait', { who: String(at) }));
  await eventually(() => begun(folder, 120) === 4);
  // The line has a share too: half of it is left.
  for (let count = 0; count < 20; count++)
    expect(await call('ada', 'hello')).toMatchObject({ status: 200, body: expect.stringContaining('hello') });
  const own = ['a', 'b'].map((who) => call('ada', 'wait', { who }));
  await eventually(() => existsSync(join(folder, 'started-a')) && existsSync(join(folder, 'started-b')));
  // Those of the attack are still the same four.
  expect(begun(folder, 120)).toBe(4);
  writeFileSync(join(folder, 'gate'), '');
  expect((await Promise.all(own)).map(({ status }) => status)).toEqual([200, 200]);
  const ended = (await Promise.all(calls)).map(({ status }) => status);
  expect(ended.filter((status) => status === 200)).toHaveLength(54);
  expect(ended.filter((status) => status === 429)).toHaveLength(66);
}, 240_000);

it('leaves places of one tool to others', async () => {
  const limited = WAIT.replace('timeout: 10m', 'timeout: 10m\n    concurrency: 4');
  board = await serveTwoCallers(`tools:${limited}`);
  const { folder, call } = board;
  const calls = Array.from({ length: 10 }, (_, at) => call('mallory', 'wait', { who: String(at) }));
  await eventually(() => begun(folder, 10) === 2);
  const own = call('ada', 'wait', { who: 'ada' });
  await eventually(() => existsSync(join(folder, 'started-ada')));
  expect(begun(folder, 10)).toBe(2);
  writeFileSync(join(folder, 'gate'), '');
  expect((await own).status).toBe(200);
  expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
}, 240_000);

it('leaves places for programs to others', async () => {
  board = await serveTwoCallers(`discovery: { tools: code }\nprocesses: { concurrency: 100 }\ntools:${WAIT}${HELLO}`);
  const { folder, call } = board;
  const wait = (at: number): object => ({ code: `return await tools.wait({ who: '${at}' });` });
  const calls = Array.from({ length: 40 }, (_, at) => call('mallory', 'run_code', wait(at)));
  await eventually(() => begun(folder, 40) === 16);
  const hello = await call('ada', 'run_code', { code: 'return await tools.hello({});' });
  expect(hello).toMatchObject({ status: 200, body: expect.stringContaining('hello') });
  const refused = await call('mallory', 'run_code', wait(99));
  expect(refused.body).toContain(
    'This caller runs as many programs as it may: the other slots, of 32, are for other callers. Try again when one has ended.',
  );
  writeFileSync(join(folder, 'gate'), '');
  const ended = (await Promise.all(calls)).filter(({ status }) => status === 200);
  expect(ended).toHaveLength(16);
}, 240_000);
