// Command lines that a running board executes: like those of a process alone, only quicker.
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { findLink, waitForApproval, answerApproval, headersFor } from '../answer-approval.test-helper.ts';
import { needs } from '../needs.test-helper.ts';
import { atTerminal } from '../terminal.test-helper.ts';
import { ECHO, fixture, readStarts } from '../upstream-boards.test-helper.ts';
import { createMachine } from './command-machine.test-helper.ts';

const ORDER = { name: 'order', type: 'cli', description: 'Order flour', command: ['echo', 'ordered'], risk: 'write' };
const SAY = {
  name: 'say',
  type: 'cli',
  description: 'Say',
  risk: 'read',
  command: ['cat'],
  args: [{ name: 'text', stdin: true }],
};
const BIG = {
  name: 'big',
  type: 'cli',
  description: 'Much',
  risk: 'read',
  command: ['head', '-c', '20000000', '/dev/zero'],
};
const POLICY = { approval: { global: 'write' } };
/** A tool that waits to be ended. */
const SLOW = {
  name: 'slow',
  type: 'cli',
  description: 'Wait',
  risk: 'read',
  command: ['sleep', '600'],
};
const SHOP = { name: 'shop', tools: [{ ...ECHO, risk: 'read' }, ORDER, SAY], policy: POLICY };

const ALONE = { PEGBOARD_STANDALONE: '1' };

/** Command lines with what they read, if anything. */
const LINES: readonly (readonly [args: readonly string[], input?: string])[] = [
  [['list']],
  [['list', '--json']],
  [['list', '--risk', 'write']],
  [['list', '--tag', 'none']],
  [['list', 'other.yaml']],
  [['list', './pegboard.yaml']],
  [['list', '--help']],
  [['search', 'flour']],
  [['search', 'flour', '--json', '--limit=1']],
  [['search', 'zzz', '--plain']],
  [['search']],
  [['show', 'echo']],
  [['show', 'order', '--json', '-f', './pegboard.yaml']],
  [['show', 'ordr']],
  [['call', 'echo', 'text=a b']],
  [['call', 'echo', '--arg', 'text=a', '--timeout', '20s']],
  [['call', 'echo', '--args', '-'], '{"text":"piped"}'],
  [['call', 'echo', '--args', '-'], 'no JSON'],
  [['call', 'say'], 'a long\ntext'],
  [['call', 'echo', 'text=x'], 'not read'],
  [['call', 'echo']],
  [['call', 'echo', '--nope']],
  [['call', 'echo', 'text=x', '--dry-run']],
  [['call', 'order']],
  [['call', 'order', '--json']],
  [['call', 'order', '-y']],
  [['call', 'nothing', '--json']],
  [['call']],
  [['calls', '--limit', 'many']],
  [['calls', 'show', 'nothing']],
  [['calls', 'replay', 'nothing']],
  [['approvals', 'list']],
  [['approvals', 'list', '--status', 'odd']],
  [['approvals', 'show', 'nothing']],
  [['inspect', '--port', 'x']],
];

it('prints and returns what a process alone does', async () => {
  const machine = createMachine();
  const cwd = machine.folder({
    ...SHOP,
    tools: [...SHOP.tools, { ...ORDER, name: 'order', description: 'Once more' }],
  });
  await machine.attach(cwd);
  for (const [args, input] of LINES) {
    const options = input === undefined ? { cwd } : { cwd, input };
    const alone = await machine.run(args, { ...options, env: ALONE });
    expect({ args, ...(await machine.run(args, options)) }).toEqual({ args, ...alone });
  }
  for (const args of [['list'], ['show', 'order'], ['call', 'order'], ['call']]) {
    const env = { FORCE_COLOR: '1' };
    const alone = await machine.run(args, { cwd, env: { ...env, ...ALONE } });
    expect(alone.stdout + alone.stderr).toContain('\u001B[');
    expect(await machine.run(args, { cwd, env })).toEqual(alone);
  }
  expect(machine.boards()).toHaveLength(1);
});

it('shows files as in the folder of the command line', async () => {
  const machine = createMachine();
  const cwd = machine.folder(SHOP);
  await machine.attach(cwd);
  for (const folder of [join(cwd, '..'), '/']) {
    const args = ['show', 'order', '-f', join(cwd, 'pegboard.yaml')];
    const alone = await machine.run(args, { cwd: folder, env: ALONE });
    expect(await machine.run(args, { cwd: folder })).toEqual(alone);
  }
});

it('calls the server that runs already, and records the terminal as the caller', async () => {
  const machine = createMachine();
  const cwd = machine.folder({});
  const starts = join(cwd, 'starts');
  const odd = { ...fixture('odd-server.ts', '--starts', starts), protocol: '2025-11-25' };
  writeFileSync(join(cwd, 'pegboard.yaml'), JSON.stringify({ mcpServers: { odd } }));
  await machine.attach(cwd);
  for (const said of ['one', 'two'])
    expect(await machine.run(['call', 'odd__echo', `text=${said}`], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(readStarts(starts)).toHaveLength(1);
  const { stdout } = await machine.run(['calls', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject([
    { tool: 'odd__echo', by: 'terminal' },
    { tool: 'odd__echo', by: 'terminal' },
  ]);
  const { boards } = JSON.parse((await machine.run(['status', '--json'], { cwd })).stdout);
  expect(boards).toMatchObject([{ servers: [{ name: 'odd', calls: 2, pid: readStarts(starts)[0] }] }]);
});

it('passes 20 MB on, also to a reader that leaves early', async () => {
  const machine = createMachine();
  const cwd = machine.folder({ tools: [BIG] });
  await machine.attach(cwd);
  const whole = machine.start(['call', 'big'], cwd, { stdio: ['ignore', 'pipe', 'inherit'] });
  let bytes = 0;
  whole.stdout?.on('data', (chunk: Buffer) => (bytes += chunk.length));
  expect((await once(whole, 'close'))[0]).toBe(0);
  expect(bytes).toBe(20_000_000);
  const cut = machine.start(['call', 'big'], cwd, { stdio: ['ignore', 'pipe', 'pipe'] });
  cut.stdout?.once('data', () => cut.stdout?.destroy());
  const [said, [code]] = await Promise.all([read(cut.stderr), once(cut, 'close')]);
  expect([said, code]).toEqual(['', 0]);
});

it('cancels the call when its terminal is interrupted or its process is killed', async () => {
  const machine = createMachine();
  const cwd = machine.folder({ tools: [SLOW] });
  await machine.attach(cwd);
  for (const [signal, ended] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', 137],
  ] as const) {
    const child = machine.start(['call', 'slow'], cwd, { stdio: ['ignore', 'pipe', 'pipe'] });
    await expect.poll(async () => countRunning(machine, cwd)).toBe(1);
    child.kill(signal);
    // As a shell shows it: a signal may come before the process listens to it.
    const [code, by] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    expect(code ?? 128 + constants.signals[by ?? signal]).toBe(ended);
    await expect.poll(async () => countRunning(machine, cwd)).toBe(0);
  }
  const { stdout } = await machine.run(['calls', '--json'], { cwd });
  expect(JSON.parse(stdout).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'cancelled',
    'cancelled',
    'cancelled',
  ]);
});

it('says that the outcome is unknown when the board dies', async () => {
  const machine = createMachine();
  const cwd = machine.folder({ tools: [SLOW] });
  for (const options of [[], ['--json']]) {
    const front = await machine.attach(cwd);
    const child = machine.start(['call', 'slow', ...options], cwd, { stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = Promise.all([read(child.stdout), read(child.stderr)]);
    await expect.poll(async () => countRunning(machine, cwd)).toBe(1);
    front.kill('SIGKILL');
    for (const pid of machine.boards()) process.kill(pid, 'SIGKILL');
    expect((await once(child, 'close'))[0]).toBe(1);
    const [stdout, stderr] = await printed;
    expect(options.length === 0 ? stderr : stdout).toContain('The board that ran this command ended before');
    if (options.length > 0) expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'outcome_unknown' } });
  }
});

it('asks at the terminal of the call, and nowhere else', needs('python3'), async () => {
  const machine = createMachine();
  const cwd = machine.folder(SHOP);
  const front = await machine.attach(cwd);
  const steps = (key: string): readonly (readonly [string, string])[] => [['Allow this call', key]];
  const asked: string[] = [];
  front.stdout?.on('data', (chunk: Buffer) => asked.push(String(chunk)));
  for (const env of [machine.env, { ...machine.env, ...ALONE }]) {
    const yes = await atTerminal(['call', 'order'], { cwd, env, steps: steps('y') });
    expect(yes.shown).toContain('ordered\n');
    expect(yes.code).toBe(0);
    const no = await atTerminal(['call', 'order'], { cwd, env, steps: steps('n') });
    expect(no.shown).not.toContain('ordered\n');
    expect(no.code).toBe(1);
    const end = await atTerminal(['call', 'order'], { cwd, env, steps: steps('\u0003') });
    expect([end.code, end.shown.includes('ordered\n')]).toEqual([1, false]);
  }
  expect(asked.join('')).not.toContain('elicitation');
  const { stdout } = await machine.run(['calls', '--json', '--outcome', 'ok'], { cwd });
  const ids: string[] = JSON.parse(stdout).map(({ id }: { id: string }) => id);
  expect(ids).toHaveLength(2);
  for (const id of ids) {
    const { stdout: shown } = await machine.run(['calls', 'show', id, '--json'], { cwd });
    expect(shown).toMatch(/"by": "[^"]+ at the terminal"/);
  }
});

it('says how to answer a call that waits, to the terminal of that call alone', async () => {
  const machine = createMachine();
  const cwd = machine.folder({ ...SHOP, policy: { approval: { global: 'write', headless: 'wait' } } });
  await machine.attach(cwd);
  const others = machine.start(['calls', '--follow'], cwd, { stdio: ['ignore', 'ignore', 'pipe'] });
  const heard = read(others.stderr);
  const child = machine.start(['call', 'order'], cwd, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += String(chunk)));
  await expect.poll(() => said).toContain('A call of order waits for an approval.');
  const id = /approvals deny (\w+)/.exec(said)?.[1] ?? '';
  expect((await machine.run(['approvals', 'deny', id], { cwd })).code).toBe(0);
  expect((await ended)[0]).toBe(1);
  others.kill('SIGINT');
  expect(await heard).toBe('');
});

it('uses the board with its own variables, and opens one itself if there is none', async () => {
  const machine = createMachine();
  const place = { name: 'place', type: 'cli', description: 'Show it', risk: 'read', command: ['echo', 'is ${PLACE}'] };
  const cwd = machine.folder({ tools: [place] });
  for (const PLACE of ['one', 'two']) await machine.attach(cwd, { PLACE });
  expect(machine.boards()).toHaveLength(2);
  const notices = readdirSync(machine.env['PEGBOARD_RUNTIME'] ?? '', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('board.json'))
    .map((name) => readFileSync(join(machine.env['PEGBOARD_RUNTIME'] ?? '', name), 'utf8'));
  expect(notices.join('')).not.toMatch(/"(?:one|two)"/);
  for (const PLACE of ['one', 'two', 'three']) {
    const { stdout } = await machine.run(['call', 'place'], { cwd, env: { PLACE } });
    expect(stdout).toBe(`is ${PLACE}\n`);
  }
  expect(machine.boards()).toHaveLength(2);
});

it('opens the inspector in the board, for calls on its page and those of others', async () => {
  const machine = createMachine();
  const cwd = machine.folder(SHOP);
  await machine.attach(cwd);
  const child = machine.start(['inspect'], cwd, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += String(chunk)));
  await expect.poll(() => printed.endsWith('\n')).toBe(true);
  const link = findLink(printed) ?? new URL('none:');
  const headers = { ...headersFor(link), 'content-type': 'application/json' };
  const call = fetch(new URL('/api/tools/order/call', link), { method: 'POST', headers, body: '{}' });
  const { id } = await waitForApproval(link);
  await answerApproval(link, id, { decision: 'allow' });
  expect(await (await call).json()).toMatchObject({ ok: true, text: 'ordered\n' });
  expect((await machine.run(['call', 'echo', 'text=hi'], { cwd })).code).toBe(0);
  const calls = (await (await fetch(new URL('/api/calls', link), { headers })).json()) as { calls: object[] };
  expect(calls.calls[0]).toMatchObject({ tool: 'echo', caller: 'terminal' });
  child.kill('SIGINT');
  expect((await once(child, 'close'))[0]).toBe(130);
  await expect(fetch(link)).rejects.toThrow('fetch failed');
  expect(machine.boards()).toHaveLength(1);
});

/** Reads a stream to its end. */
async function read(stream: Readable | null): Promise<string> {
  return stream === null ? '' : text(stream);
}

/** Counts the command lines that the board of a folder runs. */
async function countRunning(machine: ReturnType<typeof createMachine>, cwd: string): Promise<number> {
  const { boards } = JSON.parse((await machine.run(['status', '--json'], { cwd })).stdout);
  return boards
    .flatMap(({ fronts = [] }: { fronts?: { client: string }[] }) => fronts)
    .filter(({ client }: { client: string }) => client === 'pegboard call').length;
}
