// Clients that send very much, or read nothing, beside one that works.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FrontClient } from './front-client.test-helper.ts';
import { createMachine, SAY } from './machine.test-helper.ts';

const CALLS = 60;
/** The most times longer that a call may take beside another client. Behind all that a flood has sent it takes thousands of times longer. */
const MOST = 150;

/** The middle of the times of many requests, one after the other, in milliseconds. */
async function medianList(front: FrontClient, calls = CALLS): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    const start = performance.now();
    await front.request('tools/list');
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[calls >> 1] ?? 0;
}

/** The bytes of memory of a process. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kilobytes) * 1024;
}

const MEGABYTE = 1024 * 1024;
const LINE = `${JSON.stringify({ jsonrpc: '2.0', id: 'flood', method: 'tools/list' })}\n`;

describe('a client that', () => {
  it('sends without end delays no other', async () => {
    const machine = createMachine({ serve: { mode: 'classic' }, tools: [{ type: 'script', file: './tools.js' }] });
    // Each call keeps the board from all others for a millisecond.
    const code = `export const work = {
      metadata: { name: 'work', description: 'Work', risk: 'read' },
      schema: { type: 'object' },
      execute() {
        for (const end = performance.now() + 1; performance.now() < end;);
        return 'done';
      },
    };`;
    writeFileSync(join(machine.folder, 'tools.js'), code);
    const [busy, other] = [await machine.open(), await machine.open()];
    await medianList(other);
    const before = await medianList(other);
    const calls = Array.from({ length: 2_000 }, (_, id) => ({
      jsonrpc: '2.0',
      id: `flood-${id}`,
      method: 'tools/call',
      params: { name: 'work', arguments: {} },
    }));
    busy.write(calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
    await busy.until(() => busy.lines.length > 10);
    const during = await medianList(other, 9);
    expect(busy.lines.length).toBeLessThan(calls.length);
    expect(during).toBeLessThan(Math.max(before, 1) * MOST);
    await busy.kill();
    await other.close();
    await machine.end();
  });

  it('reads nothing delays no other, and takes little memory', async () => {
    const machine = createMachine();
    const [deaf, other] = [await machine.open(), await machine.open()];
    await medianList(other);
    const before = await medianList(other);
    const { pid } = machine.board();
    deaf.child.stdout.pause();
    const flood = LINE.repeat(2_000);
    // Until the pipe into the front is full: nobody takes anything any more.
    let isFull = false;
    while (!isFull) {
      isFull = !deaf.child.stdin.write(flood);
      if (isFull)
        await Promise.race([new Promise((resolve) => deaf.child.stdin.once('drain', resolve)), medianList(other)]);
      isFull = deaf.child.stdin.writableLength > 0;
    }
    const during = await medianList(other);
    expect(during).toBeLessThan(Math.max(before, 1) * MOST);
    expect(memoryOf(deaf.pid)).toBeLessThan(150 * MEGABYTE);
    expect(memoryOf(pid)).toBeLessThan(400 * MEGABYTE);
    await deaf.kill();
    await other.close();
    await machine.end();
  });

  it('holds all its commands leaves room for those of others', async () => {
    const hold = {
      name: 'hold',
      type: 'run',
      description: 'Hold',
      timeout: '1h',
      commands: [{ cmd: 'sleep', args: ['1000'] }],
    };
    const machine = createMachine({ serve: { mode: 'classic' }, processes: { concurrency: 8 }, tools: [SAY, hold] });
    const [greedy, other] = [await machine.open(), await machine.open()];
    for (let call = 0; call < 100; call++) void greedy.call('hold');
    await greedy.request('ping');
    expect(await other.text('say', { text: 'room' })).toBe('room\n');
    await greedy.kill();
    await other.close();
    await machine.end();
  });
});
