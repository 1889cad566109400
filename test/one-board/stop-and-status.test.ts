// Boards that run on a machine, as people see and stop them.
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { ECHO, fixture } from '../upstream-boards.test-helper.ts';
import { createMachine } from './command-machine.test-helper.ts';

const SHOP = { name: 'shop', tools: [ECHO] };
const DESK = {
  name: 'desk',
  tools: [ECHO],
  mcpServers: { odd: { ...fixture('odd-server.ts'), protocol: '2025-11-25' } },
};

it('shows all boards with their clients and servers, also where there is no config', async () => {
  const machine = createMachine();
  const empty = join(machine.folder({}), 'empty');
  const [shop, desk] = [machine.folder(SHOP), machine.folder(DESK)];
  mkdirSync(empty);
  expect(JSON.parse((await machine.run(['status', '--json'], { cwd: shop })).stdout)).toMatchObject({ boards: [] });
  const front = await machine.attach(shop);
  await machine.attach(desk);
  const { stdout } = await machine.run(['status', '--json'], { cwd: '/' });
  const { boards, ...others } = JSON.parse(stdout);
  expect(others).toEqual({});
  expect(boards).toEqual([
    {
      pid: machine.boards().find((pid) => pid === boards[0].pid),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      since: expect.any(Number),
      files: [join(shop, 'pegboard.yaml')],
      answers: true,
      name: 'shop',
      tools: expect.any(Number),
      memory: expect.any(Number),
      path: machine.env['PATH'],
      fronts: [{ pid: front.pid, client: 'desk', version: '7', folder: shop, since: expect.any(Number), running: 0 }],
      servers: [],
    },
    expect.objectContaining({
      name: 'desk',
      fronts: [expect.objectContaining({ folder: desk })],
      servers: [expect.objectContaining({ name: 'odd', calls: 0, isBusy: false })],
    }),
  ]);
  const { stdout: shown } = await machine.run(['status', '--verbose'], { cwd: shop });
  expect(shown).toMatch(/^board +files +pegboard\.yaml$/m);
  expect(shown).toMatch(/^pid \d+ +client +desk 7, pid \d+, in .*, since [\d -]+:\d\d:\d\d$/m);
  expect(shown).toMatch(/^pid \d+ +server +odd, /m);
  expect(shown).toMatch(/^pid \d+ +PATH +\//m);
});

it('stops the board of a folder or all, after which clients start another one', async () => {
  const machine = createMachine();
  const [shop, desk] = [machine.folder(SHOP), machine.folder(DESK)];
  expect(await machine.run(['stop'], { cwd: shop })).toEqual({
    stdout: '',
    stderr: `No board is running for ${join(shop, 'pegboard.yaml')}.\n`,
    code: 0,
  });
  const front = await machine.attach(shop);
  const [pid = 0] = machine.boards();
  await machine.attach(desk);
  expect(await machine.run(['stop'], { cwd: shop })).toEqual({
    stdout: `Stopped the board of ${join(shop, 'pegboard.yaml')} (pid ${pid}).\n`,
    stderr: 'Clients that were attached start another one with their next message.\n',
    code: 0,
  });
  await expect.poll(() => isThere(pid)).toBe(false);
  expect(machine.boards()).toHaveLength(1);
  front.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
  if (front.stdout !== null)
    for await (const line of createInterface({ input: front.stdout })) if (JSON.parse(line).id === 2) break;
  expect(machine.boards()).toHaveLength(2);
  const { stdout } = await machine.run(['stop', '--all', '--json'], { cwd: '/' });
  expect(JSON.parse(stdout)).toMatchObject({ stopped: [{}, {}], failed: [] });
  expect(machine.boards()).toEqual([]);
  expect((await machine.run(['stop', '--all'], { cwd: '/' })).stderr).toBe('No board is running.\n');
});

it('removes what a killed board left behind', async () => {
  const machine = createMachine();
  const shop = machine.folder(SHOP);
  const front = await machine.attach(shop);
  const [pid = 0] = machine.boards();
  // Kept by its watcher until the process is gone.
  const folder = readdirSync(machine.env['PEGBOARD_RUNTIME'] ?? '').find((name) => /-\w+$/.test(name)) ?? '';
  front.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  await once(front, 'close');
  await expect.poll(() => isThere(pid)).toBe(false);
  const dead = join(machine.env['PEGBOARD_RUNTIME'] ?? '', folder);
  mkdirSync(dead, { recursive: true });
  const notice = { pid, version: '0.0.1', since: 1, files: [], socket: join(dead, 's'), token: 't' };
  writeFileSync(join(dead, 'board.json'), JSON.stringify(notice));
  expect(JSON.parse((await machine.run(['status', '--json'], { cwd: '/' })).stdout)).toEqual({ boards: [] });
  expect(machine.boards()).toEqual([]);
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
