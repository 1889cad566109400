import { describe, expect, it } from 'vitest';
import type { ReserveCall } from '../tool/calls/call-bounds.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolExecutor } from './tool-executor.ts';

const schema = { type: 'object' } as const;

function executorWith(reserve: ReserveCall, retries = 0): ToolExecutor {
  return new ToolExecutor({ reserve: () => reserve, retries, retryDelay: 1 });
}

describe('a reservation', () => {
  it('is taken once for all attempts, and settled with the outcome of the call', async () => {
    const events: string[] = [];
    let runs = 0;
    const flaky = defineTool({
      name: 'flaky',
      description: 'Fails once',
      schema,
      execute() {
        runs++;
        events.push('run');
        if (runs === 1) throw new ToolError({ code: 'upstream_unavailable', message: 'Away.' });
        return 'done';
      },
    });
    const executor = executorWith(() => {
      events.push('reserve');
      return ({ ok }) => void events.push(`settle ${ok}`);
    }, 1);
    expect((await executor.execute(flaky)).ok).toBe(true);
    expect(events).toEqual(['reserve', 'run', 'run', 'settle true']);
  });

  it('refuses a call without running it', async () => {
    const tool = defineTool({ name: 'never', description: 'Never runs', schema, execute: () => expect.unreachable() });
    const executor = executorWith(() => new ToolError({ code: 'permission_denied', message: 'Used up.' }));
    expect(await executor.execute(tool)).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
  });

  it('is settled when the tool fails, and when the call is cancelled while the tool runs', async () => {
    const settled: boolean[] = [];
    const executor = executorWith(
      () =>
        ({ ok }) =>
          void settled.push(ok),
    );
    const broken = defineTool({
      name: 'broken',
      description: 'Fails',
      schema,
      execute: () => Promise.reject(new Error('no')),
    });
    expect((await executor.execute(broken)).ok).toBe(false);
    const controller = new AbortController();
    const endless = defineTool({
      name: 'endless',
      description: 'Never ends',
      schema,
      execute: () => {
        setImmediate(() => controller.abort());
        return new Promise(() => {});
      },
    });
    const result = await executor.execute(endless, {}, { signal: controller.signal });
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(settled).toEqual([false, false]);
  });

  it('is released when it arrives after the call has ended', async () => {
    const controller = new AbortController();
    const { promise: given, resolve: give } = Promise.withResolvers<boolean>();
    const late = Promise.withResolvers<void>();
    const executor = executorWith(async () => {
      controller.abort();
      await late.promise;
      return ({ ok }) => give(ok);
    });
    const tool = defineTool({ name: 'never', description: 'Never runs', schema, execute: () => expect.unreachable() });
    const result = await executor.execute(tool, {}, { signal: controller.signal });
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    late.resolve();
    expect(await given).toBe(false);
  });
});
