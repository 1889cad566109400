import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../tool/define/define-tool.ts';
import type { BeforeExecute, ToolHook } from './tool-hooks.ts';
import { ToolExecutor } from './tool-executor.ts';

const visit = defineTool({
  name: 'visit',
  description: 'Visit a page.',
  schema: z.object({
    url: z.string().transform((text) => new URL(text)),
    times: z.int().max(10).default(1),
    note: z.string().optional(),
  }),
  execute: ({ url, times, ...rest }) => ({ host: url.host, times, ...rest }),
});

const URL_TEXT = 'https://example.org/a';

function hooked(hook: ToolHook<BeforeExecute>, options = {}): ToolExecutor {
  const executor = new ToolExecutor(options);
  executor.hooks.before(hook);
  return executor;
}

describe('arguments changed by hooks', () => {
  it('are validated again; unchanged values count as sent', async () => {
    const executor = hooked(({ args }) => ({ args: { ...args, times: 3 } }), { guard: () => undefined });
    expect((await executor.execute(visit, { url: URL_TEXT })).data).toEqual({ host: 'example.org', times: 3 });
  });

  it('get defaults for removed keys, and no keys outside the schema', async () => {
    const executor = hooked(({ args: { url } }) => ({ args: { url, tenant: 'acme' } }));
    const result = await executor.execute(visit, { url: URL_TEXT, times: 5 });
    expect(result.data).toEqual({ host: 'example.org', times: 1 });
  });

  it('count when the caller sent JSON text', async () => {
    const executor = hooked(({ args }) => void (args['note'] = 'hi'), { coerce: true });
    const plain = defineTool({
      name: 'plain',
      description: 'Takes anything.',
      schema: { type: 'object', properties: { n: { type: 'integer' }, note: { type: 'string' } } },
      execute: (input) => input,
    });
    expect((await executor.execute(plain, '{"n": "4"}')).data).toEqual({ n: 4, note: 'hi' });
  });

  it('are refused with a message that names the hook, because the caller cannot fix them', async () => {
    const executor = hooked(({ args }) => ({ args: { ...args, times: 11 } }));
    const { error } = await executor.execute(visit, { url: URL_TEXT });
    expect(error?.code).toBe('execution_failed');
    expect(error?.message).toBe(
      'A tool.before_execute hook changed the arguments of "visit" to ones that do not fit:\n- times: Too big: expected number to be <=10',
    );
  });

  it('are refused if endless or with a key that could affect a prototype', async () => {
    const endless = hooked(({ args }) => void (args['note'] = args));
    expect((await endless.execute(visit, { url: URL_TEXT })).error?.message).toBe(
      'A tool.before_execute hook nested the arguments more than 100 levels deep. Make them flatter.',
    );
    const polluting = hooked(({ args }) => ({ args: { ...args, ...JSON.parse('{"__proto__":{"times":99}}') } }));
    const spread = hooked(({ args }) => ({ args: JSON.parse(`{"__proto__":{"a":1},"url":"${String(args['url'])}"}`) }));
    expect((await polluting.execute(visit, { url: URL_TEXT })).error?.code).toBe('execution_failed');
    expect((await spread.execute(visit, { url: URL_TEXT })).error?.message).toContain(
      '__proto__: is a key that no tool accepts. Leave it out.',
    );
  });
});

describe('arguments for guards', () => {
  it("are frozen and separate from the tool's copy, which keeps instances from the schema", async () => {
    let judged: unknown;
    let ran: unknown;
    const tool = defineTool({
      name: 'keep',
      description: 'Keeps.',
      schema: z.object({ list: z.array(z.string()), at: z.string().transform((text) => new URL(text)) }),
      execute: (input) => void (ran = input),
    });
    const executor = new ToolExecutor({ guard: ({ args }) => void (judged = args) });
    const given = { list: ['a'], at: URL_TEXT };
    await executor.execute(tool, given);
    expect(judged).toEqual({ list: ['a'], at: new URL(URL_TEXT) });
    expect(Object.isFrozen(judged) && Object.isFrozen((judged as typeof given).list)).toBe(true);
    expect(ran).toEqual(judged);
    expect(ran).not.toBe(judged);
    expect((ran as typeof given).list).not.toBe(given.list);
  });
});
