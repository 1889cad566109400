import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CapturedOutput } from './output-capture.ts';
import { createOutputStore } from './output-store.ts';
import { describeBothWays, expectExit, temporaryFolder } from '../process/spawners.test-helper.ts';

const folder = temporaryFolder();
const store = createOutputStore({ folder: join(folder, 'outputs') });
afterAll(() => store.close());

const MEGABYTE = 1_000_000;
/** Far more than the noise of the garbage collector, far less than the flood. */
const FLAT = 120 * MEGABYTE;

function expectShortened(output: CapturedOutput) {
  if (output.type === 'shortened') return output;
  throw new Error(`The output was not shortened: ${output.bytes.length} bytes.`);
}

/** Returns the peak growth of this process's memory during `work`. */
async function measureGrowth(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

describeBothWays('an output over the limit', (run) => {
  it('is shortened to its head and its tail, and says how much is missing', async () => {
    const exit = expectExit(await run('seq', ['1', '100000'], { capture: { limit: 400 } }));
    const { head, tail, size, missing, stored } = expectShortened(exit.stdout);
    expect(head.toString()).toMatch(/^1\n2\n3\n/);
    expect(tail.toString()).toMatch(/\n99999\n100000\n$/);
    expect([head.length, tail.length, size, missing, stored]).toEqual([300, 100, 588_895, 588_495, undefined]);
  });

  it('is kept whole in a store, byte for byte', async () => {
    const exit = expectExit(await run('seq', ['1', '300000'], { capture: { limit: 1000, spill: store } }));
    const { stored } = expectShortened(exit.stdout);
    expect(stored).toMatchObject({ size: 1_988_895, lines: 300_000, isComplete: true });
    const chunks = await store
      .open(stored?.id ?? '')
      ?.stream()
      .toArray();
    const all = Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(Buffer.concat(chunks ?? []).toString() === all).toBe(true);
  });

  it('is read slowly to its end beyond the stored part', async () => {
    const small = createOutputStore({ folder: join(folder, 'small'), maxBytes: 1_000_000 });
    const script = 'head -c 12000000 /dev/zero; echo the end; exit 3';
    const started = performance.now();
    const exit = expectExit(await run('sh', ['-c', script], { capture: { limit: 400, spill: small } }));
    expect(exit.code).toBe(3);
    const { tail, size, stored } = expectShortened(exit.stdout);
    expect([size, stored?.size, stored?.isComplete]).toEqual([12_000_008, 1_000_000, false]);
    expect(tail.toString()).toMatch(/\0the end\n$/);
    // At most 16 MiB a second: a busy machine takes longer, none is faster.
    expect(performance.now() - started).toBeGreaterThan(500);
    small.close();
  });

  it('is left out of the store when it fits', async () => {
    const exit = expectExit(await run('seq', ['1', '10'], { capture: { limit: 21, spill: store } }));
    expect(exit.stdout.type).toBe('whole');
  });

  it('keeps memory flat in an endless flood', async () => {
    const growth = await measureGrowth(async () => {
      const exit = expectExit(await run('head', ['-c', String(1500 * MEGABYTE), '/dev/zero']));
      expect(expectShortened(exit.stdout).size).toBe(1500 * MEGABYTE);
    });
    expect(growth).toBeLessThan(FLAT);
  });

  it('keeps memory flat when the flood goes to disk, however slow that is', async () => {
    const growth = await measureGrowth(async () => {
      const exit = expectExit(
        await run('head', ['-c', String(300 * MEGABYTE), '/dev/zero'], { capture: { spill: store } }),
      );
      expect(expectShortened(exit.stdout).stored?.size).toBe(300 * MEGABYTE);
    });
    expect(growth).toBeLessThan(FLAT);
  });

  it('ends with the call, cancelled or not', async () => {
    const signal = AbortSignal.timeout(100);
    const exit = expectExit(await run('yes', [], { signal, capture: { limit: 1000, spill: store } }));
    const { stored, size } = expectShortened(exit.stdout);
    expect(exit.signal).toBe('SIGTERM');
    expect(stored?.size).toBe(size);
  });
});

describe('a store that cannot write', () => {
  it('loses the handle, not the answer', async () => {
    const broken = createOutputStore({ folder: '/dev/null/outputs' });
    afterAll(() => broken.close());
    const { runProcess } = await import('../process/run-process.ts');
    const capture = { limit: 100, spill: broken };
    const exit = expectExit(await runProcess({ file: 'seq', args: ['1000'], env: { PATH: '/usr/bin:/bin' }, capture }));
    expect(expectShortened(exit.stdout).stored).toBeUndefined();
  });
});
