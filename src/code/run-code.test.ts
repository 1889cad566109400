import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { runCode } from './run-code.ts';

const board = new ToolRegistry().registerMany([
  defineTool({
    name: 'twice',
    description: 'Doubles a number.',
    schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    execute: ({ n }) => ({ n: 2 * n }),
  }),
  defineTool({
    name: 'long',
    description: 'Gives a long text.',
    schema: { type: 'object' },
    maxOutput: 100,
    execute: () => 'x'.repeat(5_000),
  }),
]);

describe('runCode', () => {
  it('returns the value, the logs and the calls', async () => {
    const result = await runCode(
      board,
      `console.log('n is', input.n); const { n }: { n: number } = await tools.twice({ n: input.n }); return [n, await tools.twice.try({ n: input.bad as any })]`,
      { input: { n: 21, bad: 'x' } },
    );
    expect(result).toMatchObject({
      ok: true,
      value: [42, { ok: false, error: { code: 'invalid_arguments' } }],
      logs: ['n is 21'],
      calls: [
        { tool: 'twice', outcome: 'ok' },
        { tool: 'twice', outcome: 'invalid_arguments' },
      ],
    });
  });

  it.each([
    ['time', { time: 50 }, 'await sleep(60_000)', 'timeout'],
    ['compute', { compute: 50 }, 'for (;;) {}', 'timeout'],
    [
      'memory',
      { memory: 4_000_000 },
      'const all = []; for (;;) all.push(new Uint8Array(100_000).fill(1))',
      'execution_failed',
    ],
    ['calls', { calls: 2 }, 'for (;;) await tools.twice({ n: 1 })', 'execution_failed'],
    ['output', { output: 10 }, `return 'x'.repeat(20)`, 'output_too_large'],
  ] as const)('ends a program that goes over %s, and says what to change', async (limit, limits, code, expected) => {
    const result = await runCode(board, code, { limits });
    expect(result).toMatchObject({ ok: false, error: { code: expected, field: `limits.${limit}` } });
  });

  it('rejects code that is too long, and invalid limits', async () => {
    expect(await runCode(board, 'return 1'.padEnd(50), { limits: { code: 20 } })).toMatchObject({
      error: { code: 'invalid_arguments', field: 'code' },
    });
    await expect(runCode(board, 'return 1', { limits: { memory: 1 } })).rejects.toMatchObject({
      code: 'invalid_arguments',
      field: 'limits.memory',
    });
  });

  it('drops logs beyond the limit', async () => {
    const { logs } = await runCode(board, `for (let i = 0; i < 100; i++) console.log('0123456789')`, {
      limits: { logs: 55 },
    });
    expect(logs.join('').length).toBeLessThan(200);
  });

  it('names the call with which the program failed', async () => {
    const result = await runCode(board, `const n = 1;\nawait tools.twice({ n: String(n) + 'x' });`);
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments', toolName: 'twice' } });
    expect(result.ok ? '' : result.error.message).toMatch(/^Line 2: /);
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    const run = runCode(board, 'await sleep(60_000)', { signal: controller.signal });
    controller.abort();
    expect(await run).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });

  it('yields to other work between calls of fast tools', async () => {
    let [turns, isWatching] = [0, false];
    const watch = (): void => {
      turns++;
      if (isWatching) setImmediate(watch);
    };
    const seen: number[] = [];
    const quick = defineTool({
      name: 'quick',
      description: 'Answers at once.',
      schema: { type: 'object' },
      execute() {
        seen.push(turns);
        if (!isWatching) setImmediate(watch);
        isWatching = true;
        return 1;
      },
    });
    const code = 'return (await Promise.all(Array.from({ length: 100 }, () => tools.quick({})))).length';
    const result = await runCode(new ToolRegistry().register(quick), code);
    isWatching = false;
    expect(result).toMatchObject({ ok: true, value: 100 });
    // Programs start 10 calls per turn, so 100 calls take ten turns. The first ones are not observed.
    expect(seen.at(-1)).toBeGreaterThan(5);
  });
});
