import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { GuardRequest } from '../../tool/calls/call-bounds.ts';
import { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { createGuard } from '../../guard/approval/guard.ts';
import { createPolicy } from '../../guard/policy/policy.ts';
import { toLangChainTools } from '../../export/langchain.ts';
import { makeBoard } from './meta-tools.test-helper.ts';

const any = { type: 'object' };

describe('call_tool', () => {
  it.each([
    ['an object', { path: 'a' }],
    ['a string of JSON', '{"path": "a"}'],
    ['a string of JSON twice over', JSON.stringify('{"path": "a"}')],
  ])('calls a tool that was never searched, its arguments as %s', async (_form, args) => {
    const { registry } = makeBoard();
    const result = await registry.call('call_tool', { name: 'git_log', arguments: args });
    expect(result.data).toEqual({ path: 'a', limit: 20 });
    expect(result.meta.tool).toBe('git_log');
  });

  it.each([undefined, null, '', '{}'])('treats %j as no arguments', async (args) => {
    const { registry } = makeBoard();
    expect((await registry.call('call_tool', { name: 'docker_ps', arguments: args })).text).toBe('docker_ps ran');
    expect((await registry.call('call_tool', '{"name": "docker_ps"}')).text).toBe('docker_ps ran');
  });

  it("repairs a model's mistakes if nothing is lost", async () => {
    const { registry } = makeBoard();
    const { data } = await registry.call('call_tool', { name: 'git_log', arguments: { path: 'a', limit: '5' } });
    expect(data).toEqual({ path: 'a', limit: 5 });
  });

  it('accepts the name that a provider uses for a tool', async () => {
    const { registry } = makeBoard();
    expect((await registry.call('call_tool', { name: 'send_mail' })).text).toBe('send.mail ran');
  });

  it.each(['GIT_LOG', 'gitlog', 'git_lgo', 'functions.git_log'])(
    'answers %s with the nearest and how to call them',
    async (name) => {
      const { registry } = makeBoard();
      const { error } = await registry.call('call_tool', { name, arguments: {} });
      expect(error?.code).toBe('not_found');
      expect(error?.message).toContain(`There is no tool "${name}". Nearest:\n`);
      expect(error?.message).toContain('git_log(path: string, limit?: integer = 20) — Shows the commit history');
    },
  );

  it('suggests by meaning if no name is similar', async () => {
    const { registry } = makeBoard();
    const { error } = await registry.call('call_tool', { name: 'email_somebody' });
    expect(error?.message).toContain('send.mail()');
    const nothing = await registry.call('call_tool', { name: 'zzqx' });
    expect(nothing.text).toBe(
      'There is no tool "zzqx". Search the 5 tools with search_tools, in words that say what it should do.',
    );
  });

  it('returns the tool’s own error for wrong arguments, with its signature', async () => {
    const { registry } = makeBoard();
    const wrong = { name: 'git_log', arguments: { pth: 'a' } };
    const direct = await registry.call('git_log', wrong.arguments);
    const { error, text } = await registry.call('call_tool', wrong);
    expect(error).toMatchObject({ code: 'invalid_arguments', toolName: 'git_log', field: direct.error?.field });
    expect(text).toBe(`${direct.text}\nSignature: git_log(path: string, limit?: integer = 20)`);
  });

  it.each<[unknown, string]>([
    [{ name: 'git_log', arguments: '{"path": ' }, 'arguments: is text that is not JSON ('],
    [
      { name: 'git_log', arguments: [1, 2] },
      "arguments: must be an object with the tool's arguments by name; got an array of 2",
    ],
    [{ name: 'git_log', arguments: '[1]' }, 'got an array of 1'],
    [{ name: 'git_log', arguments: 5 }, 'got 5'],
    [{ name: 'git_log', path: 'a' }, `path: is not known here. The tool's arguments belong in "arguments"`],
    [{ arguments: {} }, 'name: is required: the name of a tool'],
    [{ name: '' }, 'name: must be the name of a tool; got ""'],
    [{ name: 7 }, 'name: must be the name of a tool; got 7'],
    ['no JSON', 'must be an object such as {"name": "…", "arguments": {}}'],
    [[1], 'must be an object'],
  ])('refuses %j and says what to change', async (input, message) => {
    const { registry } = makeBoard();
    const { error } = await registry.call('call_tool', input);
    expect(error?.code).toBe('invalid_arguments');
    expect(error?.message).toContain(message);
  });

  it('shows the signature of the tool that a malformed call is for', async () => {
    const { registry } = makeBoard();
    const { text } = await registry.call('call_tool', { name: 'git_log', path: 'a' });
    expect(text).toMatch(/Signature: git_log\(path: string, limit\?: integer = 20\)$/);
  });

  it('refuses arguments that no tool should see', async () => {
    const { registry } = makeBoard({ maxInput: 1000 });
    const large = await registry.call('call_tool', { name: 'git_log', arguments: { path: 'x'.repeat(2000) } });
    expect(large.error?.message).toContain('are larger than 1000 characters');
    const packed = JSON.stringify({ name: 'git_log', arguments: JSON.stringify({ path: 'x'.repeat(2000) }) });
    expect((await registry.call('call_tool', packed)).error?.message).toContain('are larger than 1000 characters');
    expect((await registry.call('call_tool', ' '.repeat(2000))).error?.message).toContain('are larger than 1000');
    const hidden = await registry.call('call_tool', { name: 'git_log', arguments: '{"__proto__": {"path": "a"}}' });
    expect(hidden.error?.code).toBe('invalid_arguments');
  });

  it('answers every input, even one that is not a call', async () => {
    const { registry } = makeBoard();
    const name = fc.oneof(fc.string(), fc.constantFrom('git_log', 'call_tool', 'search_tools', 'nothing'));
    const call = fc.record({ name, arguments: fc.oneof(fc.jsonValue(), fc.json(), fc.string()) }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.oneof(call, fc.jsonValue(), fc.string()), async (input) => {
        const { ok, text, error } = await registry.call('call_tool', input);
        expect(text).not.toBe('');
        expect(ok).toBe(error === undefined);
      }),
    );
  });

  it('does not call itself, but may call search_tools and describe_tool', async () => {
    const { registry } = makeBoard();
    const loop = await registry.call('call_tool', { name: 'call_tool', arguments: { name: 'git_log' } });
    expect(loop.error).toMatchObject({
      code: 'invalid_arguments',
      message: 'call_tool calls other tools, not itself. Give the name of the tool you want.',
    });
    expect((await registry.call('call_tool', { name: 'search_tools' })).text).toMatch(/^5 tools/);
  });
});

describe('a call through call_tool', () => {
  it('runs hooks, guard and events once, as the tool it names', async () => {
    const seen: string[] = [];
    const guard = ({ tool }: GuardRequest): undefined => void seen.push(`guard ${tool.metadata.name}`);
    const { registry } = makeBoard({ guard });
    const { executor } = registry;
    executor.hooks.before(({ tool }) => void seen.push(`before ${tool.metadata.name}`));
    executor.hooks.after(({ tool }) => void seen.push(`after ${tool.metadata.name}`));
    executor.on('call:started', ({ tool, callId }) => seen.push(`started ${tool} ${callId}`));
    executor.on('call:finished', ({ tool, callId }) => seen.push(`finished ${tool} ${callId}`));
    await registry.call('call_tool', { name: 'git_log', arguments: { path: 'a' } }, { callId: 'c1' });
    expect(seen).toEqual([
      'started git_log c1',
      'before git_log',
      'guard git_log',
      'after git_log',
      'finished git_log c1',
    ]);
  });

  it('needs approval under the tool’s name, and searching never does', async () => {
    const asked: string[] = [];
    const policy = createPolicy({ approval: { global: 'all' } }, { default: 'enabled' });
    const approve = ({ tool }: { tool: string }): boolean => {
      asked.push(tool);
      return tool !== 'git_push';
    };
    const { registry } = makeBoard({ guard: createGuard(policy, { approve }) });
    await registry.call('search_tools', { query: 'push' });
    await registry.call('describe_tool', { name: 'git_push' });
    expect(asked).toEqual([]);
    expect((await registry.call('call_tool', { name: 'git_push' })).error?.code).toBe('permission_denied');
    expect((await registry.call('call_tool', { name: 'docker_ps' })).ok).toBe(true);
    expect(asked).toEqual(['git_push', 'docker_ps']);
  });

  it('is denied by a policy that allows only other tools, while searching is not', async () => {
    const policy = createPolicy({ allow: ['docker_*'] }, { default: 'enabled' });
    const { registry } = makeBoard({ guard: createGuard(policy) });
    expect((await registry.call('search_tools', {})).ok).toBe(true);
    expect((await registry.call('call_tool', { name: 'docker_ps' })).ok).toBe(true);
    expect((await registry.call('call_tool', { name: 'git_push' })).error?.code).toBe('permission_denied');
  });

  it('is guarded by the board even if another executor is used', async () => {
    const refusal = new ToolError({ code: 'permission_denied', message: 'no', toolName: 'git_push' });
    const { registry } = makeBoard({ guard: () => refusal });
    const [tool] = registry.only(['call_tool']);
    if (tool === undefined) throw new Error('There is no call_tool.');
    const call = { name: 'git_push', arguments: {} };
    expect((await new ToolExecutor().execute(tool, call)).error?.code).toBe('permission_denied');
    await expect(tool.execute(call)).rejects.toMatchObject({ code: 'permission_denied' });
    const [chained] = toLangChainTools([tool], new ToolExecutor());
    await expect(chained?.invoke(call)).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('forwards context, progress, logs and cancellation', async () => {
    const running = Promise.withResolvers<ToolContext>();
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      schema: any,
      timeout: 60_000,
      execute: (_input, context) => {
        context.progress(1, 2, 'half');
        context.log.info('waiting');
        running.resolve(context);
        return new Promise<never>((_resolve, reject) => {
          context.signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      },
    });
    const { registry } = makeBoard({}, [wait]);
    const heard: unknown[] = [];
    registry.executor.on('call:log', ({ tool, message }) => heard.push([tool, message]));
    const stop = new AbortController();
    const call = registry.call(
      'call_tool',
      { name: 'wait' },
      {
        context: { user: 'ada' },
        signal: stop.signal,
        onProgress: ({ done, total, message }) => heard.push([done, total, message]),
      },
    );
    const context = await running.promise;
    expect(context.getMeta('user')).toBe('ada');
    expect(heard).toEqual([
      [1, 2, 'half'],
      ['wait', 'waiting'],
    ]);
    stop.abort();
    expect((await call).error?.code).toBe('cancelled');
    expect(context.signal.aborted).toBe(true);
  });

  it('has the timeout of the tool, not of the executor', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time.',
      schema: any,
      timeout: 10_000,
      execute: () => new Promise((resolve) => setTimeout(resolve, 60, 'done')),
    });
    const { registry } = makeBoard({ timeout: 20 }, [slow]);
    expect((await registry.call('call_tool', { name: 'slow' })).text).toBe('done');
    expect((await registry.call('call_tool', { name: 'slow' }, { timeout: 10 })).error).toMatchObject({
      code: 'timeout',
      toolName: 'slow',
    });
  });

  it('holds one slot, not two', async () => {
    const { registry } = makeBoard({ concurrency: 1 });
    const calls = Array.from({ length: 3 }, () => registry.call('call_tool', { name: 'docker_ps' }));
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(Array(3).fill('docker_ps ran'));
  });

  it('returns the result unchanged: content, data and error', async () => {
    const content = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] as const;
    const draw = defineTool({
      name: 'draw',
      description: 'Draws.',
      schema: any,
      execute: () => ToolResult.content(content, { size: 1 }),
    });
    const fail = defineTool({
      name: 'fail',
      description: 'Fails.',
      schema: any,
      execute: () => {
        throw new ToolError({ code: 'upstream_unavailable', message: 'gone with s3cr3t-value' });
      },
    });
    const { registry } = makeBoard({ secrets: ['s3cr3t-value'] }, [draw, fail]);
    expect(await registry.call('call_tool', { name: 'draw' })).toMatchObject({ ok: true, content, data: { size: 1 } });
    const failed = await registry.call('call_tool', { name: 'fail' });
    expect(failed.error).toMatchObject({ code: 'upstream_unavailable', recoverable: true, toolName: 'fail' });
    expect(failed.text).not.toContain('s3cr3t');
  });
});

describe('describe_tool', () => {
  it('shows one tool or several, in full or as JSON Schema', async () => {
    const { registry } = makeBoard();
    const one = await registry.call('describe_tool', { name: 'git_log' });
    expect(one.text).toContain('- path: The file to look at');
    expect(one.data).toMatchObject({
      tools: [{ name: 'git_log', signature: 'git_log(path: string, limit?: integer = 20)' }],
    });
    const several = await registry.call('describe_tool', {
      names: ['git_log', 'docker_ps', 'git_log'],
      schema: 'json',
    });
    expect(several.data).toMatchObject({
      tools: [{ name: 'git_log', inputSchema: { required: ['path'] } }, { name: 'docker_ps' }],
    });
    expect(several.text.split('\n\n')).toHaveLength(2);
  });

  it('names missing tools, and shows the rest', async () => {
    const { registry } = makeBoard();
    const some = await registry.call('describe_tool', { names: ['git_lgo', 'docker_ps'] });
    expect(some.ok).toBe(true);
    expect(some.text).toContain('There is no tool "git_lgo". Nearest:');
    expect((await registry.call('describe_tool', { name: 'git_lgo' })).error?.code).toBe('not_found');
    expect((await registry.call('describe_tool', {})).error?.code).toBe('invalid_arguments');
  });
});
