import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Board, defineTool, openBoard } from '../../../src/index.ts';
import { TOOL_ERROR_CODES } from '../../../src/tool/tool-error.ts';
import { type CodeResult, runCode } from '../../../src/code.ts';
import { hostilePrograms, type HostileProgram } from './hostile-programs.test-helper.ts';

const LIMITS = { time: 3_000, compute: 25, memory: 16_777_216, calls: 500, output: 200_000 };
const anything = { type: 'object', properties: { value: {} } } as const;
const nothing = { type: 'object', properties: {} } as const;

let folder: string;
let board: Board;
let reached = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-hostile-'));
  board = await openBoard({
    data: folder,
    policy: { approval: { global: 'none' }, deny: ['forbidden'] },
    tools: [
      defineTool({
        name: 'echo',
        description: 'Gives back.',
        risk: 'read',
        schema: anything,
        execute: (input) => ({ got: input }),
      }),
      defineTool({
        name: 'fail',
        description: 'Fails.',
        risk: 'read',
        schema: nothing,
        execute: () => {
          throw new Error('failed on purpose');
        },
      }),
      defineTool({
        name: 'bomb',
        description: 'Gives much.',
        risk: 'read',
        schema: nothing,
        execute: () => ({ much: 'x'.repeat(2_000_000) }),
      }),
      defineTool({
        name: 'forbidden',
        description: 'Must not be reached.',
        risk: 'read',
        schema: anything,
        execute: () => {
          reached++;
          return 'reached';
        },
      }),
    ],
  });
});

afterAll(async () => {
  await board.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Lists the effects that a program should not have had. */
function findHarm({ name, returns }: HostileProgram, result: CodeResult): string[] {
  if (!result.ok) return TOOL_ERROR_CODES.includes(result.error.code) ? [] : [`${name}: ${String(result.error)}`];
  const isFine = returns?.(result.value) ?? !JSON.stringify(result.value ?? null).includes('reached');
  return isFine ? [] : [`${name} returned ${JSON.stringify(result.value)}`];
}

/** Lists the globals of this process that were changed. */
function findPollution(): string[] {
  const empty: Record<string, unknown> = {};
  return ['polluted', 'then', 'toJSON', 'code', 'x'].filter(
    (key) => empty[key] !== undefined || Reflect.get(globalThis, key) !== undefined,
  );
}

describe('hostile programs', () => {
  it('reach nothing, end within their limits and leave no trace', async () => {
    const programs = hostilePrograms();
    expect(programs.length).toBeGreaterThan(1_000);
    const harms: string[] = [];
    const queue = programs.values();
    const work = async (): Promise<void> => {
      for (const program of queue)
        harms.push(...findHarm(program, await runCode(board, program.code, { input: program.input, limits: LIMITS })));
    };
    await Promise.all([work(), work()]);
    expect(harms).toEqual([]);
    expect(findPollution()).toEqual([]);
    expect(reached).toBe(0);
    expect(await runCode(board, 'return await tools.echo({ value: 1 })')).toMatchObject({
      ok: true,
      value: { got: { value: 1 } },
    });
  });

  it('end even in the few functions that the engine cannot interrupt, and the board answers others meanwhile', async () => {
    let isOver = false;
    const stuck = runCode(board, 'return [].concat(Array(4e9)).length', {
      limits: { ...LIMITS, memory: 1_073_741_824, time: 60_000 },
    }).finally(() => (isOver = true));
    for (let count = 0; count < 50; count++)
      expect(await board.call('echo', { value: count })).toMatchObject({ ok: true });
    expect(isOver).toBe(false);
    expect(await stuck).toMatchObject({ ok: false, error: { code: 'timeout', field: 'limits.compute' } });
  });

  it('take no memory of the host beyond their limit', async () => {
    const before = process.memoryUsage.rss();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 5);
    try {
      for (const code of [
        'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1));',
        'const all = tools; for (;;) void all.echo.try({ value: "x".repeat(1e6) });',
      ]) {
        const result = await runCode(board, code, {
          limits: { ...LIMITS, time: 60_000, memory: 33_554_432, compute: 30_000, calls: 100_000 },
        });
        expect(result).toMatchObject({ ok: false, error: { field: 'limits.memory' } });
      }
    } finally {
      clearInterval(watch);
    }
    // Two programs of 32 MiB, each with its arguments on the way, copied once between the threads.
    expect(most).toBeLessThan(300 * 1024 * 1024);
  });
});
