import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ToolCategory } from '../../tool/tool-metadata.ts';
import { ToolAlreadyExistsError, ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { ToolRegistry } from './tool-registry.ts';

function tool(name: string, more: Record<string, unknown> = {}): Tool {
  return defineTool({
    name,
    description: `The ${name} tool`,
    schema: { type: 'object' },
    execute: () => name,
    ...more,
  });
}

describe('register', () => {
  it('names both places and a free name when a name is taken', () => {
    const registry = new ToolRegistry().registerMany([tool('git_log', { source: 'git.yaml' }), tool('git_log_2')]);
    const register = (): unknown => registry.register(tool('git_log', { source: 'more.yaml' }));
    expect(register).toThrow(ToolAlreadyExistsError);
    expect(register).toThrow(
      'Tool "git_log" is already registered (from git.yaml); the one from more.yaml was not added. Rename it, for example to "git_log_3", or pass { override: true }.',
    );
  });

  it('replaces with override, keeping the place in the order', () => {
    const registry = new ToolRegistry().registerMany([tool('a'), tool('b')]);
    const events: string[] = [];
    registry.on('tool:updated', ({ name }) => events.push(`updated ${name}`));
    registry.on('tool:registered', ({ metadata }) => events.push(`registered ${metadata.name}`));
    const replacement = tool('a');
    registry.register(replacement, { override: true });
    expect(registry.get('a')).toBe(replacement);
    expect(registry.names()).toEqual(['a', 'b']);
    expect(events).toEqual(['updated a']);
  });

  it('takes all or nothing', () => {
    const registry = new ToolRegistry().register(tool('taken'));
    const heard = vi.fn();
    registry.on('tool:registered', heard);
    const definitions = registry.definitions();
    expect(() => registry.registerMany([tool('a'), tool('taken'), tool('b')])).toThrow(ToolAlreadyExistsError);
    expect(() => registry.registerMany([tool('a'), tool('a')])).toThrow('"a" is already registered');
    // @ts-expect-error not a tool
    expect(() => registry.registerMany([tool('a'), { name: 'x' }])).toThrow('Not a tool: an object.');
    expect(registry.names()).toEqual(['taken']);
    expect(heard).not.toHaveBeenCalled();
    expect(registry.definitions()).toBe(definitions);
  });

  it('accepts a plain object with metadata, schema and execute', async () => {
    const registry = new ToolRegistry();
    const plain = {
      metadata: { name: 'plain', description: 'Plain' },
      schema: z.object({ n: z.number() }),
      execute: async ({ n }: { n: number }) => n * 2,
    };
    registry.register(plain);
    expect((await registry.call('plain', { n: 4 })).data).toBe(8);
  });
});

describe('update and remove', () => {
  it('updates in place, refuses to rename, and tells when there is nothing to update', () => {
    const registry = new ToolRegistry().register(tool('a'));
    expect(registry.update('a', tool('a', { category: ToolCategory.WEB }))).toBe(true);
    expect(registry.getByCategory('web')).toHaveLength(1);
    expect(registry.update('b', tool('b'))).toBe(false);
    expect(() => registry.update('a', tool('b'))).toThrow(
      'update("a") got a tool named "b": update does not rename. Remove "a" and register "b".',
    );
    expect(registry.names()).toEqual(['a']);
  });

  it('replaces the whole board at once, telling what changed', () => {
    const [a, b, c] = [tool('a'), tool('b'), tool('c')];
    const registry = new ToolRegistry().registerMany([a, b]);
    const seen: string[] = [];
    registry.on('tool:registered', ({ metadata }) => seen.push(`+${metadata.name} of ${registry.size}`));
    registry.on('tool:updated', ({ name }) => seen.push(`~${name} of ${registry.size}`));
    registry.on('tool:removed', ({ name }) => seen.push(`-${name} of ${registry.size}`));
    registry.replaceAll([c, tool('b')]);
    expect(registry.names()).toEqual(['c', 'b']);
    expect(seen).toEqual(['-a of 2', '+c of 2', '~b of 2']);
    expect(() => registry.replaceAll([a, a])).toThrow('"a" is already registered');
    expect(registry.names()).toEqual(['c', 'b']);
  });

  it('tells listeners after the change, and none of them can break it', async () => {
    const warned: unknown[] = [];
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warned.push(warning));
    const registry = new ToolRegistry();
    const seen: unknown[] = [];
    registry.on('tool:registered', () => {
      throw new Error('bad listener');
    });
    registry.on('tool:registered', async () => {
      throw new Error('bad async listener');
    });
    registry.on('tool:registered', ({ metadata }) => seen.push(registry.has(metadata.name)));
    registry.on('tool:removed', ({ name }) => seen.push(registry.has(name)));
    registry.on('registry:cleared', ({ count }) => seen.push([count, registry.size]));
    registry.register(tool('a'));
    registry.remove('a');
    registry.register(tool('b'));
    registry.clear();
    expect(seen).toEqual([true, false, true, [1, 0]]);
    // The rejection of an asynchronous listener is heard a moment later.
    await new Promise(setImmediate);
    expect(warned).toContainEqual(new Error('bad listener'));
    expect(warned).toContainEqual(new Error('bad async listener'));
    warn.mockRestore();
  });

  it('stops telling a listener that was removed', () => {
    const registry = new ToolRegistry();
    const heard = vi.fn();
    registry.on('tool:registered', heard);
    registry.off('tool:registered', heard);
    registry.on('tool:registered', heard)();
    registry.register(tool('a'));
    expect(heard).not.toHaveBeenCalled();
  });
});

describe('reading', () => {
  const registry = new ToolRegistry().registerMany([
    tool('read-file', { category: 'file-system', tags: ['io'], displayName: 'Open Document' }),
    tool('fetch', { category: 'web', tags: ['io', 'http'] }),
    tool('plain'),
  ]);

  it('finds by category, tag and text in any case', () => {
    expect(registry.getByCategory('web').map(({ metadata }) => metadata.name)).toEqual(['fetch']);
    expect(registry.getByTag('io').map(({ metadata }) => metadata.name)).toEqual(['read-file', 'fetch']);
    expect(registry.search('DOCUMENT').map(({ metadata }) => metadata.name)).toEqual(['read-file']);
    expect(registry.search('http')).toHaveLength(1);
    expect(registry.search('(.*')).toEqual([]);
  });

  it('gives copies, so that a board may change while it is read', () => {
    const board = new ToolRegistry().registerMany([tool('a'), tool('b')]);
    for (const each of board.getAll()) board.remove(each.metadata.name);
    expect(board.size).toBe(0);
  });

  it('keeps definitions until the board changes', () => {
    const board = new ToolRegistry().register(tool('a'));
    const first = board.definitions();
    expect(board.definitions()).toBe(first);
    board.register(tool('b'));
    expect(board.definitions().map((definition) => definition.function.name)).toEqual(['a', 'b']);
    board.update('b', tool('b'));
    const third = board.definitions();
    board.clear();
    expect(third).toHaveLength(2);
    expect(board.definitions()).toEqual([]);
  });
});

describe('call', () => {
  it('finds a tool by the name its definition had to take', async () => {
    const registry = new ToolRegistry().register(tool('fs.read'));
    const [definition] = registry.definitions();
    expect(definition?.function.name).toBe('fs_read');
    expect((await registry.call('fs_read')).text).toBe('fs.read');
    // A model in the middle of a conversation keeps using the name while other tools come and go.
    registry.register(tool('other'));
    expect((await registry.call('fs_read')).text).toBe('fs.read');
  });

  it('answers for an unknown name with the nearest ones', async () => {
    const registry = new ToolRegistry().registerMany([tool('read_file'), tool('write_file'), tool('list_users')]);
    const result = await registry.call('readFile', {}, { callId: 'c9' });
    expect(result.error).toMatchObject({ code: 'not_found', toolName: 'readFile' });
    expect(result.text).toBe('There is no tool "readFile". Did you mean: read_file, write_file?');
    expect(result.meta).toMatchObject({ callId: 'c9', attempts: 0 });
    expect((await registry.call('zzz')).text).toBe(
      'There is no tool "zzz". The board has 3 tools; search it for what you need.',
    );
    expect((await new ToolRegistry().call('x')).text).toBe('There is no tool "x". The board has no tools.');
  });

  it('keeps the tool a call started with while the registry changes', async () => {
    const gate = Promise.withResolvers<void>();
    const registry = new ToolRegistry().register(tool('job', { execute: () => gate.promise.then(() => 'old') }));
    const running = registry.call('job');
    registry.update('job', tool('job', { execute: () => 'new' }));
    expect((await registry.call('job')).text).toBe('new');
    registry.clear();
    gate.resolve();
    expect((await running).text).toBe('old');
  });

  it('keeps deprecated tools callable and says what replaced them', async () => {
    const registry = new ToolRegistry().register(tool('old', { deprecated: true, replacedBy: 'new' }));
    const result = await registry.call('old');
    expect(result.ok).toBe(true);
    expect(result.meta.notices).toEqual(['Tool "old" is deprecated: use "new" instead.']);
    expect(registry.definitions()[0]?.function.description).toBe('Deprecated: use "new" instead. The old tool.');
    expect(registry.generatePrompt()).toContain('- old: The old tool (deprecated, use new instead)');
  });

  it('shares an executor when given one', async () => {
    const executor = new ToolExecutor();
    const seen: string[] = [];
    executor.hooks.before(({ tool: { metadata } }) => void seen.push(metadata.name));
    const boards = ['a', 'b'].map((name) => new ToolRegistry({ executor }).register(tool(name)));
    await Promise.all(boards.map((board) => board.call(board.names()[0] ?? '')));
    expect(seen).toEqual(['a', 'b']);
  });
});

describe('callAll', () => {
  it('runs calls at once and answers in their order, unreadable ones too', async () => {
    const registry = new ToolRegistry().registerMany([
      tool('slow', { execute: () => new Promise((resolve) => setTimeout(resolve, 20, 'slow')) }),
      defineTool({
        name: 'double',
        description: 'Double',
        schema: z.object({ n: z.number() }),
        execute: ({ n }) => n * 2,
      }),
    ]);
    const results = await registry.callAll([
      { id: '1', name: 'slow', input: {} },
      { id: '2', name: 'double', input: { n: '21' } },
      { id: '3', name: 'double', input: undefined, malformed: 'Not JSON.' },
      { id: '4', name: 'dobule', input: { n: 1 } },
      { id: '5', name: 'dobule', input: undefined, malformed: 'Not JSON.' },
    ]);
    expect(results.map((result) => result.text)).toEqual([
      'slow',
      '42',
      'Not JSON.',
      'There is no tool "dobule". Did you mean: double?',
      'There is no tool "dobule". Did you mean: double?',
    ]);
    expect(results.map((result) => result.meta.callId)).toEqual(['1', '2', '3', '4', '5']);
    expect(results[2]?.error).toMatchObject({ code: 'invalid_arguments', toolName: 'double' });
  });
});

it('refuses a tool without a usable definition', () => {
  // @ts-expect-error no tool at all
  expect(() => new ToolRegistry().register(null)).toThrow(ToolError);
});

it.each([undefined, null, 42, {}])('answers a call of %j without a throw', async (name) => {
  const registry = new ToolRegistry();
  // A name that a hand-written loop passes on from a model.
  const given = name as string;
  expect((await registry.call(given, {})).error).toMatchObject({ code: 'not_found' });
  const [result] = await registry.callAll([{ id: 'x', name: given, input: {}, malformed: 'not JSON' }]);
  expect(result?.text).toContain('The name of a tool is text');
});
