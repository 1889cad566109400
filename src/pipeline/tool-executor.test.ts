import { setTimeout as sleep } from 'node:timers/promises';
import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { fakeClock } from './fake-clock.test-helper.ts';
import { ToolExecutor } from './tool-executor.ts';

const add = defineTool({
  name: 'add',
  description: 'Add',
  schema: z.object({ a: z.number(), b: z.number().default(1) }),
  execute: ({ a, b }) => a + b,
});

function toolThat(execute: (input: Record<string, unknown>, context: ToolContext) => unknown, more: object = {}): Tool {
  return defineTool({ name: 'probe', description: 'Probe', schema: { type: 'object' }, execute, ...more });
}

const executor = new ToolExecutor();
const forever = (): Promise<never> => new Promise(() => {});

describe('validation', () => {
  it('fills defaults and returns data and text', async () => {
    const result = await executor.execute(add, { a: 2 });
    expect(result).toMatchObject({ ok: true, text: '3', data: 3 });
    expect(result.meta).toMatchObject({ tool: 'add', attempts: 1 });
  });

  it('names every fault and the parameters of the tool', async () => {
    const tool = defineTool({
      name: 'read',
      description: 'Read',
      schema: {
        type: 'object',
        properties: { path: { type: 'string' }, encoding: { enum: ['utf-8', 'ascii'], default: 'utf-8' } },
        required: ['path'],
        additionalProperties: false,
      },
      execute: () => '',
    });
    const result = await executor.execute(tool, { encoding: 'utf8', pth: 1 });
    expect(result.error).toMatchObject({ code: 'invalid_arguments', toolName: 'read', recoverable: false });
    expect(result.text).toBe(
      [
        'Invalid arguments for "read":',
        '- path: is required',
        '- encoding: must be one of "utf-8", "ascii"; got "utf8". Did you mean "utf-8"?',
        '- pth: is not a known argument. Known: path, encoding. Did you mean "path"?',
        'It takes: path (string), encoding (utf-8|ascii, optional, default: utf-8). Correct these and call again.',
      ].join('\n'),
    );
  });

  it('says which argument was misspelt, with every schema library', async () => {
    const tool = defineTool({
      name: 'say',
      description: 'Say',
      schema: z.object({ text: z.string() }),
      execute: () => '',
    });
    const result = await executor.execute(tool, { txt: 'hi' });
    expect(result.text).toContain('\n- txt: is not a known argument. Did you mean "text"?\n');
    const ark = defineTool({
      name: 'ark',
      description: 'Ark',
      schema: type({ name: 'string >= 2' }),
      execute: () => '',
    });
    expect((await executor.execute(ark, { name: '' })).text).toContain('\n- name: must be ');
  });

  it('repairs arguments only when asked', async () => {
    const given = { a: '2', b: '3' };
    expect((await executor.execute(add, given)).error?.code).toBe('invalid_arguments');
    expect((await executor.execute(add, given, { coerce: true })).data).toBe(5);
    expect((await new ToolExecutor({ coerce: true }).execute(add, '{"a":"2"}')).data).toBe(3);
    expect(given).toEqual({ a: '2', b: '3' });
  });

  it('waits for a schema that checks asynchronously', async () => {
    const tool = defineTool({
      name: 'slow_check',
      description: 'Checks slowly',
      schema: z.object({ n: z.number().refine(async (n) => n > 0, 'must be positive') }),
      execute: ({ n }) => n,
    });
    expect((await executor.execute(tool, { n: 1 })).data).toBe(1);
    expect((await executor.execute(tool, { n: -1 })).error).toMatchObject({ code: 'invalid_arguments', field: 'n' });
  });
});

describe('failures are results', () => {
  it.each([
    [
      'an Error',
      () => {
        throw new Error('disk full');
      },
      'Tool "probe" failed: disk full',
    ],
    [
      'an Error without a message',
      () => {
        throw new TypeError();
      },
      'Tool "probe" failed: TypeError',
    ],
    [
      'a string',
      () => {
        throw 'nope';
      },
      'Tool "probe" failed: nope',
    ],
    [
      'undefined',
      () => {
        throw undefined;
      },
      'Tool "probe" failed: it threw undefined',
    ],
    [
      'an object',
      () => {
        throw { status: 404 };
      },
      'Tool "probe" failed: {"status":404}',
    ],
    [
      'a symbol',
      () => {
        throw Symbol('x');
      },
      'Tool "probe" failed: it threw a symbol',
    ],
    ['a rejection', () => Promise.reject(new Error('late')), 'Tool "probe" failed: late'],
  ])('converts %s', async (_, execute, text) => {
    const result = await executor.execute(toolThat(execute));
    expect(result.text).toBe(text);
    expect(result.error).toMatchObject({ code: 'execution_failed', toolName: 'probe', recoverable: false });
  });

  it('keeps a typed error and names its tool', async () => {
    const cause = new ToolError({ code: 'permission_denied', message: 'Not yours.' });
    const result = await executor.execute(
      toolThat(() => {
        throw cause;
      }),
    );
    expect(result.error).toMatchObject({ code: 'permission_denied', message: 'Not yours.', toolName: 'probe' });
  });

  it.each([
    ['a BigInt', { total: { cents: 1n } }, '"total.cents" is a BigInt', ' Return Number(value), or String(value).'],
    ['a cycle', cyclic(), '"self" contains itself', ''],
    ['a function', () => {}, 'the result is a function', ''],
    ['a symbol', Symbol('x'), 'the result is a symbol', ''],
    ['a Map', new Map([['a', 1]]), 'the result is a Map', ' Return Object.fromEntries(map), or [...map].'],
    ['a Set', { tags: [new Set(['a'])] }, '"tags.0" is a Set', ' Return [...set].'],
    ['an Error', [{ reason: new TypeError('x') }], '"0.reason" is an Error', ' Throw it, or return its message.'],
    ['a promise', { later: Promise.resolve(1) }, '"later" is a Promise', ' Await it first.'],
    ['bytes', { bytes: new Uint8Array(2) }, '"bytes" is a Uint8Array', ' Return base64, or a list of numbers.'],
    ['an ArrayBuffer', new ArrayBuffer(2), 'the result is an ArrayBuffer', ' Return base64, or a list of numbers.'],
    ['a regular expression', { like: /x/ }, '"like" is a RegExp', ''],
    ['what the web gives', { query: new URLSearchParams('a=1') }, '"query" is a URLSearchParams', ''],
  ])('refuses a result that holds %s', async (_, output, fault, remedy) => {
    const message = `Tool "probe" ran, but its result cannot be sent as JSON: ${fault}. Its author must return text or plain JSON.${remedy}`;
    const hooked = new ToolExecutor();
    hooked.hooks.after(() => {});
    const answering = new ToolExecutor();
    answering.hooks.after(() => ToolResult.from({ text: 'x', data: output }));
    for (const result of [
      await executor.execute(toolThat(() => output)),
      await executor.execute(toolThat(() => ToolResult.from({ text: 'x', data: output }))),
      await hooked.execute(toolThat(() => output)),
      await answering.execute(add, { a: 1 }),
    ])
      expect([result.error?.code, result.text.replace('"add"', '"probe"')]).toEqual(['execution_failed', message]);
  });

  it('keeps data that JSON writes in another form unchanged', async () => {
    class Point {
      readonly x = 1;
      readonly #y = 2;
      get y(): number {
        return this.#y;
      }
    }
    const data = { at: new Date(0), point: new Point(), link: new URL('https://a.example/'), none: undefined, no: NaN };
    const result = await executor.execute(toolThat(() => data));
    expect(result.text).toBe('{"at":"1970-01-01T00:00:00.000Z","point":{"x":1},"link":"https://a.example/","no":null}');
    expect(result.data).toBe(data);
  });

  it('shows neither stack lines nor secrets', async () => {
    const message =
      'connect postgres://app:hunter2@db/main failed, api_key=abc123, Authorization: Bearer abcdefghijkl\n    at Socket.x (/srv/app.js:1:2)';
    const result = await executor.execute(
      toolThat(() => {
        throw new Error(message);
      }),
    );
    expect(result.text).toBe(
      'Tool "probe" failed: connect postgres://[redacted]@db/main failed, api_key=[redacted], Authorization: Bearer [redacted]',
    );
  });

  it('redacts both halves of a secret that was cut in two', async () => {
    const guarded = new ToolExecutor({ secrets: ['abcdefghijklmnop'] });
    const text = `${'x'.repeat(60)}abcdefgh\n[900 of 1,000 bytes left out here; read it with output_read]\nijklmnop tail`;
    const result = await guarded.execute(toolThat(() => text));
    expect(result.text).toBe(
      `${'x'.repeat(60)}[redacted]\n[900 of 1,000 bytes left out here; read it with output_read]\n[redacted] tail`,
    );
  });

  it('redacts known secrets everywhere', async () => {
    const guarded = new ToolExecutor({ secrets: ['s3cr3t', ''] });
    const told = await guarded.execute(toolThat(() => ({ key: 's3cr3t', list: ['a s3cr3t b'] })));
    expect(told.data).toEqual({ key: '[redacted]', list: ['a [redacted] b'] });
    expect(told.text).toBe('{"key":"[redacted]","list":["a [redacted] b"]}');
    const failed = await guarded.execute(
      toolThat(() => {
        throw new Error('wrong: s3cr3t');
      }),
    );
    expect(JSON.stringify(failed)).not.toContain('s3cr3t');
    expect(failed.error?.cause).toBeUndefined();
  });

  it('keeps a text unchanged when its data has no secret', async () => {
    const guarded = new ToolExecutor({ secrets: ['s3cr3t'] });
    const write = (data: object): ToolResult => ToolResult.from({ text: JSON.stringify(data, undefined, 2), data });
    const open = await guarded.execute(toolThat(() => write({ key: 'tea' })));
    expect(open.text).toBe('{\n  "key": "tea"\n}');
    const secret = await guarded.execute(toolThat(() => write({ key: 's3cr3t' })));
    expect(secret.text).toBe('{"key":"[redacted]"}');
  });
});

describe('timeout and cancellation', () => {
  it('stops waiting and aborts the signal', async () => {
    let signal: AbortSignal | undefined;
    const tool = toolThat((_, context) => {
      signal = context.signal;
      return forever();
    });
    const result = await executor.execute(tool, {}, { timeout: 10 });
    expect(result.error).toMatchObject({ code: 'timeout', recoverable: true });
    expect(result.text).toBe(
      'Tool "probe" did not finish within 10 ms and was stopped. Ask for less, or try again later.',
    );
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toBe(result.error);
  });

  it('is extended by progress, up to ten times the timeout', async () => {
    const { clock, advance } = fakeClock();
    let context: ToolContext | undefined;
    const tool = toolThat((_, given) => {
      context = given;
      return forever();
    });
    const timed = new ToolExecutor({ clock, timeout: 100 });
    const silent = timed.execute(tool);
    advance(90);
    context?.putOffTimeout();
    advance(189);
    context?.putOffTimeout();
    advance(289);
    expect((await silent).text).toBe(
      'Tool "probe" did not finish within 100 ms of its last progress and was stopped. Ask for less, or try again later.',
    );
    const busy = timed.execute(tool);
    for (let time = 289; time <= 289 + 1_000; time += 50) {
      advance(time);
      context?.putOffTimeout();
    }
    expect((await busy).text).toBe(
      'Tool "probe" did not finish within 1000 ms, the most that progress allows, and was stopped. Ask for less, or try again later.',
    );
  });

  it('prefers the call’s timeout over the tool’s and the executor’s', async () => {
    const told = async (e: ToolExecutor, tool: Tool, options: object): Promise<string> =>
      (await e.execute(tool, {}, options)).text;
    expect(await told(new ToolExecutor({ timeout: 5 }), toolThat(forever), {})).toContain('within 5 ms');
    expect(await told(new ToolExecutor({ timeout: 9000 }), toolThat(forever, { timeout: 6 }), {})).toContain(
      'within 6 ms',
    );
    expect(await told(executor, toolThat(forever, { timeout: 9000 }), { timeout: 7 })).toContain('within 7 ms');
  });

  it('passes an aborted signal to a tool that reads it too late', async () => {
    const late = Promise.withResolvers<boolean>();
    const tool = toolThat(async (_, context) => {
      await sleep(30);
      late.resolve(context.signal.aborted);
    });
    expect((await executor.execute(tool, {}, { timeout: 5 })).error?.code).toBe('timeout');
    expect(await late.promise).toBe(true);
  });

  it('does not count untimed work and restarts after it', async () => {
    const waited = toolThat(async (_, context) => {
      await context.untimed(sleep(40));
      return 'done';
    });
    expect((await executor.execute(waited, {}, { timeout: 20 })).text).toBe('done');
    const slow = toolThat(async (_, context) => {
      await context.untimed(Promise.resolve());
      await forever();
    });
    expect((await executor.execute(slow, {}, { timeout: 20 })).text).toContain('did not finish within 20 ms');
    const controller = new AbortController();
    const stuck = toolThat((_, context) => context.untimed(forever()));
    const call = executor.execute(stuck, {}, { signal: controller.signal });
    controller.abort();
    expect((await call).error?.code).toBe('cancelled');
  });

  it("includes the tool's findings when the call ends early", async () => {
    const tool = toolThat((_, context) => {
      context.keepOnEnd(() => 'found so far: 3');
      return forever();
    });
    expect((await executor.execute(tool, {}, { timeout: 10 })).error).toMatchObject({
      code: 'timeout',
      message:
        'Tool "probe" did not finish within 10 ms and was stopped. Ask for less, or try again later.\nfound so far: 3',
      recoverable: true,
    });
  });

  it('cancels a running call', async () => {
    const controller = new AbortController();
    const tool = toolThat((_, context) => {
      queueMicrotask(() => controller.abort());
      return new Promise((_resolve, reject) => {
        context.signal.addEventListener('abort', () => reject(new Error('my own abort error')));
      });
    });
    const result = await executor.execute(tool, {}, { signal: controller.signal });
    expect(result.error).toMatchObject({ code: 'cancelled', recoverable: false });
    expect(result.text).toBe('The call of "probe" was cancelled before it finished.');
  });

  it('ends a call that cancels itself before it waits', async () => {
    const stop = new AbortController();
    const tool = defineTool({
      name: 'probe',
      description: 'Cancels its own call.',
      schema: z.object({}),
      execute: () => {
        stop.abort();
        return new Promise<string>(() => {});
      },
    });
    expect((await new ToolExecutor().execute(tool, {}, { signal: stop.signal })).error?.code).toBe('cancelled');
  });

  it('does not start a call that is already cancelled', async () => {
    let ran = false;
    const result = await executor.execute(
      toolThat(() => (ran = true)),
      {},
      { signal: AbortSignal.abort() },
    );
    expect(result.error?.code).toBe('cancelled');
    expect(ran).toBe(false);
  });

  it('stops listening to a signal after the call', async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    await executor.execute(
      toolThat(() => 'ok'),
      {},
      { signal },
    );
    expect(listeners).toBe(0);
  });
});

describe('hooks', () => {
  it('run by priority, highest first, then in the order they were added', async () => {
    const order: string[] = [];
    const hooked = new ToolExecutor();
    hooked.hooks.before(() => void order.push('low'), { priority: 1 });
    hooked.hooks.before(() => void order.push('high'), { priority: 9 });
    hooked.hooks.before(() => void order.push('low again'), { priority: 1 });
    hooked.hooks.after(() => void order.push('after'));
    await hooked.execute(add, { a: 1 });
    expect(order).toEqual(['high', 'low', 'low again', 'after']);
  });

  it('change arguments and context, in place or with a new payload', async () => {
    const hooked = new ToolExecutor();
    hooked.hooks.before((payload) => {
      payload.args['a'] = 10;
    });
    hooked.hooks.before(({ context }) => ({ context: context.mergeMetadata({ user: 'ada' }) }));
    const tool = toolThat((input, context) => `${String(input['a'])} ${context.getMeta('user', '')}`);
    expect((await hooked.execute(tool, { a: 1 })).text).toBe('10 ada');
  });

  it('answer for the tool', async () => {
    const hooked = new ToolExecutor();
    let ran = false;
    hooked.hooks.before(() => ToolResult.text('cached'));
    const result = await hooked.execute(toolThat(() => (ran = true)));
    expect(result.text).toBe('cached');
    expect(ran).toBe(false);
  });

  it('see how long the call took so far, its id and its attempts', async () => {
    const { clock, advance } = fakeClock();
    const hooked = new ToolExecutor({ clock });
    const seen: unknown[] = [];
    hooked.hooks.after(({ result }) => void seen.push(result.meta));
    const tool = toolThat(() => {
      advance(40);
      return 'x';
    });
    await hooked.execute(tool, {}, { callId: 'one' });
    hooked.hooks.before(() => ToolResult.text('cached'));
    await hooked.execute(tool, {}, { callId: 'two' });
    expect(seen).toEqual([
      { tool: 'probe', callId: 'one', durationMs: 40, attempts: 1 },
      { tool: 'probe', callId: 'two', durationMs: 0, attempts: 0 },
    ]);
  });

  it('replace the result, failures included', async () => {
    const hooked = new ToolExecutor();
    hooked.hooks.after(({ result }) => (result.failed() ? ToolResult.text('sorry') : undefined));
    expect(
      (
        await hooked.execute(
          toolThat(() => {
            throw new Error('x');
          }),
        )
      ).text,
    ).toBe('sorry');
    expect((await hooked.execute(toolThat(forever), {}, { timeout: 5 })).text).toBe('sorry');
  });

  it('that throw become a typed error, and may refuse a call', async () => {
    const hooked = new ToolExecutor();
    const remove = hooked.hooks.before(() => {
      throw new Error('boom');
    });
    expect((await hooked.execute(add, { a: 1 })).error).toMatchObject({
      code: 'execution_failed',
      message: 'A tool.before_execute hook failed: boom',
      toolName: 'add',
    });
    remove();
    hooked.hooks.before(() => {
      throw new ToolError({ code: 'permission_denied', message: 'No.' });
    });
    expect((await hooked.execute(add, { a: 1 })).error?.code).toBe('permission_denied');
  });

  it('that hang are ended by the timeout', async () => {
    const hooked = new ToolExecutor({ timeout: 10 });
    hooked.hooks.before(forever);
    expect((await hooked.execute(add, { a: 1 })).error?.code).toBe('timeout');
  });

  it('have a name, and an unknown one is refused', () => {
    // @ts-expect-error not a hook
    expect(() => executor.hooks.on('tool.during', () => {})).toThrow(
      'Unknown hook "tool.during". Use one of: tool.before_execute, tool.after_execute.',
    );
  });
});

describe('guard', () => {
  it('refuses a checked call with its own error, after the hooks, before the tool', async () => {
    let ran = false;
    const seen: unknown[] = [];
    const guarded = new ToolExecutor({
      guard: ({ tool, args }) => {
        seen.push([tool.metadata.name, args]);
        return args['a'] === 13 ? new ToolError({ code: 'permission_denied', message: 'Not that one.' }) : undefined;
      },
    });
    guarded.hooks.before(({ args }) => ({ args: { ...args, a: 13 } }));
    const result = await guarded.execute(
      toolThat(() => (ran = true)),
      { a: 1 },
    );
    expect(result.error).toMatchObject({ code: 'permission_denied', toolName: 'probe' });
    expect(seen).toEqual([['probe', { a: 13 }]]);
    expect(ran).toBe(false);
    expect((await guarded.execute(add, { a: 'x' })).error?.code).toBe('invalid_arguments');
    expect(seen).toHaveLength(1);
  });

  it("runs only while it has something to check, and never changes the caller's arguments", async () => {
    let isGuarded = false;
    const guard = (): ToolError => new ToolError({ code: 'permission_denied', message: 'Not now.' });
    const changing = new ToolExecutor({ guard, isGuarded: () => isGuarded });
    const args = { list: ['a'] };
    const greedy = toolThat(({ list }) => (Array.isArray(list) ? list.splice(0).length : 0));
    expect((await changing.execute(greedy, args)).data).toBe(1);
    expect(args).toEqual({ list: ['a'] });
    isGuarded = true;
    expect((await changing.execute(greedy, args)).error?.code).toBe('permission_denied');
  });

  it("may take longer than the tool's timeout, and ends when the caller cancels", async () => {
    const slow = new ToolExecutor({ guard: () => sleep(30).then(() => undefined), timeout: 10 });
    expect((await slow.execute(add, { a: 1 })).data).toBe(2);
    const controller = new AbortController();
    const stuck = new ToolExecutor({ guard: forever }).execute(add, { a: 1 }, { signal: controller.signal });
    setImmediate(() => controller.abort());
    expect((await stuck).error?.code).toBe('cancelled');
  });

  it('refuses the call by throwing', async () => {
    const broken = new ToolExecutor({
      guard: () => {
        throw new Error('guard bug');
      },
    });
    expect((await broken.execute(add, { a: 1 })).error?.code).toBe('execution_failed');
  });
});

describe('concurrency', () => {
  it('limits concurrent calls and keeps their order', async () => {
    let running = 0;
    let most = 0;
    const order: unknown[] = [];
    const tool = toolThat(async ({ n }) => {
      most = Math.max(most, ++running);
      order.push(n);
      await sleep(1);
      running--;
    });
    const limited = new ToolExecutor({ concurrency: 3 });
    await Promise.all(Array.from({ length: 20 }, (_, n) => limited.execute(tool, { n })));
    expect(most).toBe(3);
    expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it('limits a single tool by its own number', async () => {
    let running = 0;
    let most = 0;
    const tool = toolThat(
      async () => {
        most = Math.max(most, ++running);
        await sleep(1);
        running--;
      },
      { concurrency: 2 },
    );
    await Promise.all(Array.from({ length: 10 }, () => executor.execute(tool)));
    expect(most).toBe(2);
  });

  it('frees the slot of a call that timed out or stopped waiting', async () => {
    const limited = new ToolExecutor({ concurrency: 1 });
    const hanging = limited.execute(toolThat(forever), {}, { timeout: 30 });
    const waiting = await limited.execute(
      toolThat(() => 'never'),
      {},
      { timeout: 5 },
    );
    expect(waiting.error?.code).toBe('timeout');
    expect((await hanging).error?.code).toBe('timeout');
    expect((await limited.execute(toolThat(() => 'free'))).text).toBe('free');
  });
});

describe('retry', () => {
  const flaky = (failures: number, code: 'upstream_unavailable' | 'execution_failed') => {
    let left = failures;
    return toolThat(() => {
      if (left-- > 0) throw new ToolError({ code, message: 'down' });
      return 'up';
    });
  };
  const quick = new ToolExecutor({ retryDelay: 1 });

  it('retries only on request, and only recoverable failures', async () => {
    expect((await quick.execute(flaky(1, 'upstream_unavailable'))).error?.code).toBe('upstream_unavailable');
    const retried = await quick.execute(flaky(2, 'upstream_unavailable'), {}, { retries: 3 });
    expect(retried).toMatchObject({ text: 'up', meta: { attempts: 3 } });
    const hopeless = await quick.execute(flaky(1, 'execution_failed'), {}, { retries: 3 });
    expect(hopeless).toMatchObject({ ok: false, meta: { attempts: 1 } });
  });

  it('retries after a timeout with a new signal', async () => {
    const signals: boolean[] = [];
    let calls = 0;
    const tool = toolThat((_, context) => {
      signals.push(context.signal.aborted);
      return ++calls === 1 ? forever() : 'second';
    });
    const result = await quick.execute(tool, {}, { retries: 1, timeout: 10 });
    expect(result).toMatchObject({ text: 'second', meta: { attempts: 2 } });
    expect(signals).toEqual([false, false]);
  });

  it('stops when the caller cancels between attempts', async () => {
    const controller = new AbortController();
    const slow = new ToolExecutor({ retryDelay: 60_000 });
    const tool = toolThat(() => {
      queueMicrotask(() => setImmediate(() => controller.abort()));
      throw new ToolError({ code: 'upstream_unavailable', message: 'down' });
    });
    const result = await slow.execute(tool, {}, { retries: 5, signal: controller.signal });
    expect(result.error?.code).toBe('cancelled');
  });
});

describe('output', () => {
  it('keeps head and tail of a long text', async () => {
    const tool = toolThat(() => `${'a'.repeat(500)}${'b'.repeat(500)}`, { maxOutput: 100 });
    const result = await executor.execute(tool);
    expect(result.text).toBe(
      `${'a'.repeat(75)}\n\n[900 of 1000 characters left out here. Ask for a smaller part to see them.]\n\n${'b'.repeat(25)}`,
    );
    expect(result.meta.truncated).toEqual({ from: 1000, to: result.text.length });
  });

  it('keeps data complete when text is cut, and refuses content that cannot be truncated', async () => {
    const long = await new ToolExecutor({ maxOutput: 50 }).execute(toolThat(() => ({ text: 'x'.repeat(100) })));
    expect(long.ok).toBe(true);
    expect(long.data).toEqual({ text: 'x'.repeat(100) });
    const image = toolThat(
      () => ToolResult.content([{ type: 'image', data: 'A'.repeat(100), mimeType: 'image/png' }]),
      { maxOutput: 50, maxMedia: 74 },
    );
    expect((await executor.execute(image)).error?.code).toBe('output_too_large');
    const fits = toolThat(() => ToolResult.content([{ type: 'image', data: 'A'.repeat(100), mimeType: 'image/png' }]), {
      maxOutput: 50,
      maxMedia: 75,
    });
    expect((await executor.execute(fits)).ok).toBe(true);
  });

  it('does not cut a character in two', async () => {
    const result = await executor.execute(toolThat(() => '😀'.repeat(50), { maxOutput: 21 }));
    expect(result.text.isWellFormed()).toBe(true);
  });

  it('reports missing output', async () => {
    expect((await executor.execute(toolThat(() => undefined))).text).toBe('(no output)');
    expect((await executor.execute(toolThat(() => null))).text).toBe('null');
  });

  it('names the replacement of a deprecated tool', async () => {
    const result = await executor.execute(toolThat(() => 'ok', { deprecated: true, replacedBy: 'better' }));
    expect(result.meta.notices).toEqual(['Tool "probe" is deprecated: use "better" instead.']);
  });
});

describe('settings', () => {
  it.each([
    [{ concurrency: 0 }, "The executor's concurrency must be 1 or more; got 0."],
    [{ timeout: Number.NaN }, "The executor's timeout must be 1 or more; got NaN."],
    [{ retries: -1 }, "The executor's retries must be 0 or more; got -1."],
  ])('are refused if invalid: %o', (options, message) => {
    expect(() => new ToolExecutor(options)).toThrow(message);
  });

  it.each([0, -5, Number.NaN])('of a call give an error result if invalid: timeout %d', async (timeout) => {
    const result = await executor.execute(add, { a: 1 }, { timeout });
    expect(result.error).toMatchObject({ code: 'invalid_arguments', field: 'timeout' });
  });
});

describe('messages of a tool', () => {
  it('reports progress and logs to listeners, and survives a listener that throws', async () => {
    const heard: unknown[] = [];
    const telling = new ToolExecutor();
    telling.on('call:progress', (progress) => heard.push(progress));
    telling.on('call:log', ({ level, message }) => heard.push([level, message]));
    const tool = toolThat((_, context) => {
      context.progress(1, 2, 'half');
      context.log.warn('careful');
      return context.callId;
    });
    const result = await telling.execute(
      tool,
      {},
      {
        callId: 'c1',
        onProgress: () => {
          throw new Error('listener');
        },
        onLog: (entry) => heard.push(entry),
      },
    );
    expect(result.text).toBe('c1');
    expect(heard).toEqual([
      { callId: 'c1', tool: 'probe', done: 1, total: 2, message: 'half' },
      ['warn', 'careful'],
      { callId: 'c1', tool: 'probe', level: 'warn', message: 'careful' },
    ]);
  });

  it('names the caller, and removes secrets from any value', async () => {
    const telling = new ToolExecutor({ secrets: ['hunter2'] });
    const seen: unknown[] = [];
    telling.on('call:started', ({ context, args }) => seen.push([context.getMeta('caller'), telling.redact(args)]));
    await telling.execute(add, { a: 'hunter2' }, { context: { caller: 'me' } });
    const error = new ToolError({ code: 'not_found', message: 'There is no such tool.' });
    telling.refuse(error, { context: { caller: 'you' } }, { deep: ['a hunter2 b'] });
    expect(seen).toEqual([
      ['me', { a: '[redacted]' }],
      ['you', { deep: ['a [redacted] b'] }],
    ]);
  });

  it('reports when calls start and finish', async () => {
    const seen: string[] = [];
    const telling = new ToolExecutor();
    telling.on('call:started', ({ tool, args }) => seen.push(`${tool} ${JSON.stringify(args)}`));
    telling.on('call:finished', ({ tool, result }) => seen.push(`${tool} ${result.ok}`));
    await telling.execute(add, { a: 1 });
    await telling.execute(add, { a: 'x' });
    expect(seen).toEqual(['add {"a":1}', 'add true', 'add {"a":"x"}', 'add false']);
  });
});

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}
