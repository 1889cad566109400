// Starts and ends of fronts, boards and servers, in every order.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture } from '../upstream-boards.test-helper.ts';
import type { FrontClient } from './front-client.test-helper.ts';
import { copyVersion, createMachine, findProcesses, kill, type Machine, SAY } from './machine.test-helper.ts';

/** The names of folders and sockets of boards. */
function placesOf({ runtime }: Machine): string[] {
  return existsSync(runtime) ? readdirSync(runtime).filter((name) => !name.endsWith('.lock')) : [];
}

it('starts one board for thirty fronts that start at once', async () => {
  const machine = createMachine();
  const fronts = await Promise.all(Array.from({ length: 30 }, () => machine.open()));
  const board = machine.board();
  expect(await Promise.all(fronts.map((front, at) => front.text('say', { text: `word ${at}` })))).toEqual(
    fronts.map((_, at) => `word ${at}\n`),
  );
  expect(machine.board().pid).toBe(board.pid);
  expect(fronts.map(({ errors }) => errors)).toEqual(fronts.map(() => ''));
  await Promise.all(fronts.map((front) => front.close()));
  await machine.end();
  expect(placesOf(machine)).toEqual([]);
});

describe('kill -9', () => {
  /** A board with a server, and a command that holds on with a child of its own. */
  async function start(): Promise<{
    machine: Machine;
    fronts: FrontClient[];
    find: Readonly<Record<Part, () => number[]>>;
  }> {
    const machine = createMachine();
    const starts = join(machine.folder, 'starts');
    const desk = { ...fixture('desk-server.ts', '--starts', starts), protocol: '2025-11-25', share: 'board' };
    const hold = `echo $$ > ${machine.folder}/held; sleep 1000 & wait`;
    machine.write({
      serve: { mode: 'classic' },
      tools: [
        SAY,
        {
          name: 'hold',
          type: 'run',
          description: 'Hold',
          timeout: '1h',
          commands: [{ cmd: 'sh', args: ['-c', hold] }],
        },
      ],
      mcpServers: { desk },
    });
    const fronts = await Promise.all([machine.open(), machine.open()]);
    const [first] = fronts;
    await first?.text('desk__pid');
    void first?.call('hold');
    await expect.poll(() => existsSync(join(machine.folder, 'held'))).toBe(true);
    const board = machine.board();
    const find = {
      board: () => [board.pid],
      fronts: () => fronts.map(({ pid }) => pid),
      server: () => findProcesses(starts).filter((pid) => pid !== board.pid),
      watcher: () => findProcesses('pegboard-watcher').filter((pid) => findProcesses(machine.runtime).includes(pid)),
    };
    return { machine, fronts, find };
  }
  type Part = 'board' | 'fronts' | 'server' | 'watcher';

  it.for<Part[]>([
    ['fronts', 'board', 'server'],
    ['fronts', 'server', 'board'],
    ['board', 'fronts', 'server'],
    ['server', 'board', 'fronts'],
    ['server', 'fronts', 'board'],
    ['board', 'server', 'fronts'],
  ])('leaves no process and no socket: %s, %s, %s', async (order) => {
    const { machine, find } = await start();
    const hold = Number(readFileSync(join(machine.folder, 'held'), 'utf8'));
    for (const part of order) for (const pid of find[part]()) kill(pid);
    await expect.poll(() => machine.processes()).toEqual([]);
    await expect.poll(() => existsSync(`/proc/${hold}`)).toBe(false);
    await expect.poll(() => placesOf(machine)).toEqual([]);
  });

  it('of the watcher and the board leaves a place that the next front clears', async () => {
    const { machine, fronts, find } = await start();
    for (const front of fronts) await front.close();
    const [before] = placesOf(machine);
    for (const pid of [...find.watcher(), ...find.board()]) kill(pid);
    await expect.poll(() => find.board().some((pid) => existsSync(`/proc/${pid}/cwd/`))).toBe(false);
    expect(placesOf(machine)).toEqual([before]);
    const front = await machine.open();
    expect(await front.text('say', { text: 'again' })).toBe('again\n');
    expect(placesOf(machine)).toHaveLength(1);
    expect(placesOf(machine)).not.toContain(before);
    await front.close();
    await machine.end();
  });

  it('of the front that is starting the board leaves one board for the next', async () => {
    const machine = createMachine();
    const first = machine.start();
    await expect
      .poll(() => findProcesses('--shared').filter((pid) => machine.processes().includes(pid)).length)
      .toBeGreaterThan(0);
    await first.kill();
    const fronts = await Promise.all([machine.open(), machine.open(), machine.open()]);
    expect(await fronts[0]?.text('say', { text: 'hello' })).toBe('hello\n');
    // The board that had no front to tell has ended, or is the one.
    await expect
      .poll(() => findProcesses('--shared').filter((pid) => machine.processes().includes(pid)))
      .toEqual([machine.board().pid]);
    for (const front of fronts) await front.close();
    await machine.end();
  });
});

describe('a board', () => {
  it('ends some time after its last front, and the next front starts it again', async () => {
    const machine = createMachine({ tools: [SAY], serve: { idle: 0 } });
    const first = await machine.open();
    const { pid } = machine.board();
    const second = await machine.open();
    await first.close();
    expect(await second.text('say', { text: 'here' })).toBe('here\n');
    expect(machine.board().pid).toBe(pid);
    await second.close();
    await expect.poll(() => machine.processes()).toEqual([]);
    const third = await machine.open();
    expect(await third.text('say', { text: 'there' })).toBe('there\n');
    await third.close();
    await expect.poll(() => [...machine.processes(), ...placesOf(machine)]).toEqual([]);
  });

  it('that is asked to end finishes its calls first; what comes meanwhile runs once, on the next board', async () => {
    const machine = createMachine();
    const [go, log] = [join(machine.folder, 'go'), join(machine.folder, 'log')];
    const wait = `echo begun >> ${log}; until [ -e ${go} ]; do sleep 0.02; done; echo done`;
    const note = `echo noted >> ${log}; echo noted`;
    const run = (name: string, script: string) => ({
      name,
      type: 'run',
      description: name,
      commands: [{ cmd: 'sh', args: ['-c', script] }],
    });
    machine.write({
      serve: { mode: 'classic', limits: { grace: '1h' } },
      tools: [run('wait', wait), run('note', note)],
    });
    const front = await machine.open();
    const waiting = front.text('wait');
    await expect.poll(() => existsSync(log)).toBe(true);
    const before = machine.board();
    kill(before.pid, 'SIGTERM');
    await expect.poll(() => machine.boards()).toEqual([]);
    expect(await front.text('note')).toBe('noted\n');
    expect(machine.board().pid).not.toBe(before.pid);
    writeFileSync(go, '');
    expect(await waiting).toBe('done\n');
    expect(readFileSync(log, 'utf8')).toBe('begun\nnoted\n');
    await front.close();
    await machine.end();
  });

  it('of an older version ends with its last front when a newer one serves the same files', async () => {
    const machine = createMachine();
    const newer = copyVersion(machine.folder, '99.0.0');
    const old = await machine.open();
    const { pid } = machine.board();
    const fresh = await machine.open({ cli: newer });
    expect(machine.boards()).toHaveLength(2);
    expect([await old.text('say', { text: 'a' }), await fresh.text('say', { text: 'b' })]).toEqual(['a\n', 'b\n']);
    await old.close();
    await expect.poll(() => machine.board().version).toBe('99.0.0');
    await expect.poll(() => existsSync(`/proc/${pid}/cwd/`)).toBe(false);
    // A newer board stays for a while, as boards do.
    const older = await machine.open();
    await fresh.close();
    expect(machine.boards()).toHaveLength(2);
    await older.close();
    await machine.end();
  });
});

describe('a front', () => {
  it.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('finishes its call after %s, and takes no other', async (signal) => {
    const machine = createMachine();
    const go = join(machine.folder, 'go');
    const wait = {
      name: 'wait',
      type: 'run',
      description: 'Wait',
      commands: [{ cmd: 'sh', args: ['-c', `touch ${go}.begun; until [ -e ${go} ]; do sleep 0.02; done; echo done`] }],
    };
    machine.write({ serve: { mode: 'classic', limits: { grace: '1h' } }, tools: [SAY, wait] });
    const front = await machine.open();
    const waiting = front.text('wait');
    await expect.poll(() => existsSync(`${go}.begun`)).toBe(true);
    front.child.kill(signal);
    await expect
      .poll(async () => (await front.call('say', { text: 'x' })).error?.message)
      .toBe('The server is stopping.');
    writeFileSync(go, '');
    expect(await waiting).toBe('done\n');
    expect(await front.ended()).toBe(signal === 'SIGINT' ? 130 : 0);
    await machine.end();
  });

  it('ends at once at the second signal', async () => {
    const machine = createMachine();
    const sleep = {
      name: 'sleep',
      type: 'run',
      description: 'Sleep',
      commands: [{ cmd: 'sh', args: ['-c', 'echo $$; exec sleep 1000'] }],
    };
    machine.write({ serve: { mode: 'classic', limits: { grace: '1h' } }, tools: [SAY, sleep] });
    const front = await machine.open();
    void front.call('sleep');
    front.child.kill('SIGTERM');
    await expect
      .poll(async () => (await front.call('say', { text: 'x' })).error?.message)
      .toBe('The server is stopping.');
    front.child.kill('SIGTERM');
    expect(await front.ended()).toBe(143);
    await machine.end();
  });

  it('ends with its calls when the client closes its input', async () => {
    const machine = createMachine();
    const sleep = {
      name: 'sleep',
      type: 'run',
      description: 'Sleep',
      commands: [{ cmd: 'sh', args: ['-c', `echo ${machine.runtime} > ${machine.folder}/sleeps; exec sleep 1000`] }],
    };
    machine.write({ serve: { mode: 'classic' }, tools: [sleep] });
    const front = await machine.open();
    const answer = front.text('sleep');
    await expect.poll(() => existsSync(join(machine.folder, 'sleeps'))).toBe(true);
    expect(await front.close()).toBe(0);
    expect(await answer).toBe('The input ended before the call was done. It may have had effects.');
    await machine.end();
  });

  it('leaves a request whose id is too large a number to the board, and does not repeat it', async () => {
    const machine = createMachine();
    const front = await machine.open();
    front.write('{"jsonrpc":"2.0","id":1e400,"method":"ping"}\n');
    for (let count = 0; count < 2; count++) {
      expect((await front.request('ping')).result).toEqual({});
      kill(machine.board().pid);
      await front.until(() => front.errors.split('has ended').length > count + 1);
    }
    expect((await front.request('ping')).result).toEqual({});
    expect(front.lines.filter((line) => line.includes('is a string or a number'))).toHaveLength(1);
    await front.close();
    await machine.end();
  });

  it('ends when nobody reads its output', async () => {
    const machine = createMachine();
    const front = await machine.open();
    front.child.stdout.destroy();
    void front.call('say', { text: 'x' });
    expect(await front.ended()).toBe(0);
    await machine.end();
  });

  it('that is asked to end while a board starts does not wait for it', async () => {
    const machine = createMachine();
    const code = `await new Promise(() => setInterval(() => {}, 1000));`;
    writeFileSync(join(machine.folder, 'tools.ts'), code);
    const front = machine.start({ args: ['tools.ts'] });
    await expect
      .poll(() => findProcesses('--shared').filter((pid) => machine.processes().includes(pid)).length)
      .toBeGreaterThan(0);
    front.child.kill('SIGTERM');
    expect(await front.ended()).toBe(0);
  });
});
