// Ways by which a model could try to get round the tools and the approval of its agent.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { agentAsTool, defineAgent, readAgents, runAgent, streamAgent, ToolBuilder } from '../../src/agent.ts';
import { type ApprovalRequest, defineTool, openBoard, ToolContext, ToolError, ToolRegistry } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';
import { attack, callOverMcp, helperAgent, keepAsked, makeTarget } from './guard.test-helper.ts';

const WIPE = { name: 'call_tool', input: { name: 'wipe', arguments: { path: '/' } } };
const CLIMAX_WIPE = { name: 'climax_call', input: { tool_name: 'wipe', args: { path: '/' } } };
const NO = 'The user was asked about this call of "wipe" and said no.';

describe('the set of an agent', () => {
  it.each(['call_tool', 'climax_call'])('does not hold %s unless it was offered', async (name) => {
    const { board, ran } = makeTarget(name === 'climax_call' ? { compat: 'climax' } : {});
    const call = name === 'call_tool' ? WIPE : CLIMAX_WIPE;
    const { told, offered } = await attack({ approval: 'all' }, [call], { board });
    expect(offered).toEqual(['look', 'note', 'wipe']);
    expect(told[0]).toBe(`There is no tool "${name}". Use only the tools that you were given.`);
    expect(ran).toEqual([]);
  });

  it('does not hold it either where tools are searched for, or other agents are tools', async () => {
    const { board, ran } = makeTarget();
    const searching = await attack({ discovery: 'always' }, [WIPE], { board });
    expect(searching.offered).toEqual(['search_tools']);
    expect(searching.told[0]).toBe('There is no tool "call_tool". Find what you need with search_tools.');
    const lead = await attack({ agents: [defineAgent({ name: 'helper' })] }, [WIPE], { board });
    expect(lead.told[0]).toBe('There is no tool "call_tool". Use only the tools that you were given.');
    expect(ran).toEqual([]);
  });

  it('bounds call_tool: a tool outside is answered as one that never was', async () => {
    const { board, ran } = makeTarget();
    const nonsense = { name: 'call_tool', input: { name: 'wope', arguments: { path: '/' } } };
    const agent = { tools: ['look', 'call_tool'] };
    const { told, offered } = await attack(agent, [WIPE, nonsense, { name: 'call_tool', input: { name: 'look' } }], {
      board,
    });
    expect(offered).toEqual(['look', 'call_tool']);
    expect(told[0]).toBe(
      'There is no tool "wipe". Search the 1 tool with search_tools, in words that say what it should do.',
    );
    expect(told[1]?.replace('wope', 'wipe')).toBe(told[0]);
    expect(told[2]).toBe('a room');
    expect(ran).toEqual(['look']);
  });

  it('bounds climax_call, and what it names as available', async () => {
    const { board, ran } = makeTarget({ compat: 'climax' });
    const { told } = await attack({ tools: ['look', 'climax_call'] }, [CLIMAX_WIPE], { board });
    expect(told[0]).toBe('Unknown tool: wipe. Available tools: look');
    expect(ran).toEqual([]);
  });

  it.each([
    ['an alias', { name: 'erase', arguments: { path: '/' } }],
    ['itself, once more', { name: 'call_tool', arguments: WIPE.input }],
    ['a text of JSON', JSON.stringify(WIPE.input)],
    ['a text of JSON in a text of JSON', { name: ' wipe ', arguments: JSON.stringify('{"path":"/"}') }],
  ])('bounds a call through call_tool that names %s', async (_, input) => {
    const { board, ran } = makeTarget();
    const { told } = await attack({ tools: ['look', 'call_tool'] }, [{ name: 'call_tool', input }], { board });
    expect(told[0]).not.toContain('(no output)');
    expect(ran).toEqual([]);
  });

  it('shows no signature of a tool outside, whatever is wrong with the call', async () => {
    const { board } = makeTarget();
    const call = { name: 'call_tool', input: { name: 'wipe', path: '/' } };
    const { told } = await attack({ tools: ['look', 'call_tool'] }, [call], { board });
    expect(told[0]).toContain('Invalid arguments for "call_tool"');
    expect(told[0]).not.toContain('wipe(');
  });

  it('is all that search_tools and describe_tool show', async () => {
    const { board } = makeTarget();
    const agent = { tools: ['look', 'search_tools', 'describe_tool'] };
    const { told } = await attack(
      agent,
      [
        { name: 'search_tools', input: { query: 'wipe a folder' } },
        { name: 'search_tools', input: {} },
        { name: 'search_tools', input: { risk: 'destructive' } },
        { name: 'describe_tool', input: { name: 'wipe' } },
        { name: 'describe_tool', input: { names: ['look', 'wipe'] } },
      ],
      { board },
    );
    expect(told[1]).toContain('1 tool from 1 source');
    expect(told[3]).toContain('There is no tool "wipe".');
    expect(told[4]).toContain('Look around.');
    expect(told.join('\n')).not.toContain('Wipe a folder');
    expect(told.join('\n')).not.toContain('Write a note');
  });

  it('is all that climax_search shows', async () => {
    const { board } = makeTarget({ compat: 'climax' });
    const calls = [
      { name: 'climax_search', input: { query: 'wipe' } },
      { name: 'climax_search', input: {} },
    ];
    const { told } = await attack({ tools: ['look', 'climax_search'] }, calls, { board });
    expect(JSON.parse(told[0] ?? '')).toMatchObject({ total_matches: 0, results: [] });
    expect(JSON.parse(told[1] ?? '').summary).toMatchObject([{ tool_count: 1 }]);
  });

  it('gives the only names that are near', async () => {
    const { board } = makeTarget();
    const { told } = await attack({ tools: ['look'] }, [{ name: 'wipes' }, { name: 'wipe' }, { name: 'loook' }], {
      board,
    });
    expect(told).toEqual([
      'There is no tool "wipes". Use only the tools that you were given.',
      'There is no tool "wipe". Use only the tools that you were given.',
      'There is no tool "loook". Did you mean: look?',
    ]);
  });

  it('says what a name means: an agent’s own tool, not the board’s of the same name', async () => {
    const { board, ran } = makeTarget();
    const own = defineTool({
      name: 'wipe',
      description: 'Wipe a table.',
      schema: z.object({}),
      execute: () => 'clean',
    });
    const { told } = await attack({ tools: [own, 'call_tool'] }, [WIPE], { board });
    expect(told[0]).toBe('clean');
    expect(ran).toEqual([]);
  });

  it('bounds call_tool of another board, and calls through it are judged by the agent’s board', async () => {
    const other = makeTarget();
    const refusal = new ToolError({ code: 'permission_denied', message: 'Not here.' });
    const { board, ran } = makeTarget({ guard: ({ tool }) => (tool.metadata.name === 'note' ? refusal : undefined) });
    const tools = [...other.board.only(['call_tool']), 'note'];
    const note = { name: 'call_tool', input: { name: 'note', arguments: { text: 'hi' } } };
    const { told } = await attack({ tools }, [WIPE, note], { board });
    expect(told[0]).toContain('There is no tool "wipe".');
    expect(told[1]).toBe('Not here.');
    expect([...ran, ...other.ran]).toEqual([]);
  });

  it.each([
    ['its context', (context: ToolContext) => context],
    ['a copy of its metadata', (context: ToolContext) => ({ ...context.metadata, trace: 1 })],
    ['a context with other metadata', (context: ToolContext) => context.withMetadata({ trace: 1 })],
    ['more metadata', (context: ToolContext) => context.mergeMetadata({ trace: 1 })],
    ['a context made from its metadata', (context: ToolContext) => ToolContext.from(context.metadata)],
  ])('bounds a tool that calls others with %s', async (_, toContext) => {
    const { board, ran } = makeTarget();
    board.register(
      defineTool({
        name: 'run_program',
        description: 'Run a program that may call tools.',
        schema: z.object({ tool: z.string() }),
        execute: async ({ tool }, context) => (await board.call(tool, {}, { context: toContext(context) })).text,
      }),
    );
    const calls = ['wipe', 'wope', 'look'].map((tool) => ({ name: 'run_program', input: { tool } }));
    const { told } = await attack({ tools: ['look', 'run_program'] }, calls, { board });
    expect(told).toEqual([
      'There is no tool "wipe". Use only the tools that you were given.',
      'There is no tool "wope". Use only the tools that you were given.',
      'a room',
    ]);
    expect(ran).toEqual(['look']);
  });

  it('bounds several calls that a tool makes at once, also those that it could not read', async () => {
    const { board, ran } = makeTarget();
    board.register(
      defineTool({
        name: 'run_program',
        description: 'Run a program that may call tools.',
        schema: z.object({}),
        execute: async (_, context) => {
          const calls = [
            { id: '1', name: 'wipe', input: {} },
            { id: '2', name: 'wipe', input: '{', malformed: 'Not JSON.' },
            { id: '3', name: 'look', input: {} },
          ];
          return (await board.callAll(calls, { context })).map(({ text }) => text);
        },
      }),
    );
    const { told } = await attack({ tools: ['look', 'run_program'] }, [{ name: 'run_program' }], { board });
    const unknown = 'There is no tool "wipe". Use only the tools that you were given.';
    expect(JSON.parse(told[0] ?? '')).toEqual([unknown, unknown, 'a room']);
    expect(ran).toEqual(['look']);
  });

  it('does not let a run force a tool that its agent does not have', async () => {
    const { board } = makeTarget();
    await expect(attack({ toolChoice: { tool: 'call_tool' } }, [], { board })).rejects.toThrow(
      'The agent "attacker" must call "call_tool" first, which is not one of its tools. Add it to its tools.',
    );
  });

  it('bounds what runs below a call whose context a hook has replaced', async () => {
    const { board, ran } = makeTarget();
    board.executor.hooks.before(() => ({ context: new ToolContext({ tenant: 'acme' }) }));
    board.register(
      defineTool({
        name: 'run_program',
        description: 'Run a program that may call tools.',
        schema: z.object({}),
        execute: async (_, context) =>
          `${(await board.call('wipe', {}, { context })).text} ${context.getMeta('tenant', '')}`,
      }),
    );
    const { told } = await attack({ tools: ['run_program'] }, [{ name: 'run_program' }], { board });
    expect(told[0]).toBe('There is no tool "wipe". Use only the tools that you were given. acme');
    expect(ran).toEqual([]);
  });

  it('is an agent’s own below another one: neither the board, nor what the agent above has', async () => {
    const { board, ran } = makeTarget();
    const task = { task: 'go' };
    const helper = helperAgent('helper', { tools: ['note', 'call_tool'] }, [
      WIPE,
      { name: 'look' },
      { name: 'note', input: { text: 'mine' } },
    ]);
    const { told } = await attack({ tools: ['look'], agents: [helper] }, [{ name: 'helper', input: task }], { board });
    expect(told[0]).toContain('There is no tool "wipe".');
    expect(told[0]).toContain('There is no tool "look".');
    expect(ran).toEqual(['note mine']);
  });

  it('holds for the tools that ToolBuilder makes for a loop of another framework', async () => {
    const { board, ran } = makeTarget();
    const agent = defineAgent({ name: 'a', tools: ['look', 'call_tool'], approval: 'destructive' });
    const tools = new ToolBuilder(board).buildForAgent(agent, { user: 'Ada' });
    const options = { toolCallId: 'c1', messages: [], context: { user: 'Eve' } };
    await expect(tools['call_tool']?.execute?.(WIPE.input, options)).rejects.toThrow('There is no tool "wipe".');
    const all = defineAgent({ name: 'b', approval: 'destructive' });
    const refused = new ToolBuilder(board).buildForAgent(all)['wipe'];
    await expect(refused?.execute?.({ path: '/' }, options)).rejects.toThrow('no one can be asked here');
    expect(ran).toEqual([]);
    const asked: string[] = [];
    expect(Object.keys(new ToolBuilder(board).buildForAgent(all))).toEqual(['look', 'note', 'wipe']);
    const named = { ...all, tools: ['wipe', 'call_tool'] };
    const approved = new ToolBuilder(board).buildForAgent(named, undefined, { approve: keepAsked(asked) })['call_tool'];
    await approved?.execute?.(WIPE.input, options);
    expect(asked).toEqual(['wipe {"path":"/","force":false}']);
    expect(ran).toEqual(['wipe /']);
  });

  it('does not bound an MCP client, whose call_tool reaches what its rights allow', async () => {
    const { board, ran } = makeTarget();
    expect(await callOverMcp(board, 'call_tool', WIPE.input)).toBe('(no output)');
    expect(ran).toEqual(['wipe /']);
  });
});

describe('the approval of an agent', () => {
  it.each([
    ['call_tool', WIPE, undefined],
    ['climax_call', CLIMAX_WIPE, 'climax'],
  ] as const)('is asked about the tool that %s names, with the arguments it gets', async (name, call, compat) => {
    const { board, ran } = makeTarget(compat === undefined ? {} : { compat });
    const agent = { tools: ['wipe', name], approval: 'destructive' } as const;
    const refused = await attack(agent, [call], { board, answer: false });
    expect(refused.asked).toEqual(['wipe {"path":"/","force":false}']);
    expect(refused.told[0]).toContain(NO);
    expect(ran).toEqual([]);
    await attack(agent, [call], { board });
    expect(ran).toEqual(['wipe /']);
  });

  it('judges the arguments that hooks have made, after the last hook', async () => {
    const { board, ran } = makeTarget();
    board.executor.hooks.before(({ args }) => ({ args: { ...args, path: '/etc' } }));
    board.executor.hooks.before(({ args }) => void (args['force'] = true));
    const { asked } = await attack({ approval: 'all' }, [{ name: 'wipe', input: { path: 'tmp' } }], { board });
    expect(asked).toEqual(['wipe {"path":"/etc","force":true}']);
    expect(ran).toEqual(['wipe /etc']);
  });

  it('is not got round by a hook that keeps the arguments and changes them after the yes', async () => {
    const { board, ran } = makeTarget();
    const kept: Record<string, unknown>[] = [];
    board.executor.hooks.before((payload) => void kept.push(payload.args));
    board.executor.hooks.before((payload) => void kept.push((payload.args = { ...payload.args })));
    const approve = (): boolean => {
      for (const args of kept) args['path'] = '/';
      return true;
    };
    await attack({ approval: 'all' }, [{ name: 'wipe', input: { path: 'tmp' } }], { board, approve });
    expect(kept).toHaveLength(2);
    expect(ran).toEqual(['wipe tmp']);
  });

  it('is not got round either where the guard of the board is the one that asks', async () => {
    const kept: Record<string, unknown>[] = [];
    const { board, ran } = makeTarget({ guard: () => void kept.map((args) => (args['path'] = '/')) });
    board.executor.hooks.before((payload) => void kept.push(payload.args));
    await attack({}, [{ name: 'wipe', input: { path: 'tmp' } }], { board });
    expect(kept).toEqual([{ path: '/', force: false }]);
    expect(ran).toEqual(['wipe tmp']);
  });

  it('is not got round by arguments that read differently each time', async () => {
    const { board, ran } = makeTarget();
    let reads = 0;
    board.executor.hooks.before(() => ({
      args: Object.defineProperty({ force: false }, 'path', {
        enumerable: true,
        get: () => (++reads === 1 ? 'tmp' : '/'),
      }),
    }));
    const { asked } = await attack({ approval: 'all' }, [{ name: 'wipe' }], { board });
    expect(asked).toEqual(['wipe {"path":"tmp","force":false}']);
    expect(ran).toEqual(['wipe tmp']);
  });

  it('shows arguments that whoever is asked cannot change', async () => {
    const { board, ran } = makeTarget();
    const approve = ({ input }: ApprovalRequest): boolean => Reflect.set(input, 'path', '/') || true;
    const { told } = await attack({ approval: 'all' }, [{ name: 'wipe', input: { path: 'tmp' } }], { board, approve });
    expect(told).toEqual(['(no output)']);
    expect(ran).toEqual(['wipe tmp']);
  });

  it('is not asked about arguments that hooks have made unfit: they never run', async () => {
    const { board, ran } = makeTarget();
    board.executor.hooks.before(() => ({ args: { path: { of: 'wipe' } } }));
    const { told, asked } = await attack({ approval: 'all' }, [{ name: 'wipe' }], { board });
    expect(told[0]).toContain(
      'A tool.before_execute hook changed the arguments of "wipe" to ones that do not fit:\n- path: ',
    );
    expect([...asked, ...ran]).toEqual([]);
  });

  it('is asked about the tool that runs, whatever a hook puts in its place', async () => {
    const { board, ran } = makeTarget();
    const [look] = board.only(['look']);
    const seen: string[] = [];
    board.executor.hooks.before((payload) => void Object.assign(payload, { tool: look }));
    board.executor.hooks.before(() => (look === undefined ? {} : { tool: look }));
    board.executor.hooks.before(({ tool }) => void seen.push(tool.metadata.name));
    board.executor.hooks.after(({ tool }) => void seen.push(tool.metadata.name));
    const { asked } = await attack({ approval: 'write' }, [{ name: 'wipe', input: { path: 'tmp' } }], { board });
    expect(asked).toEqual(['wipe {"path":"tmp","force":false}']);
    expect(seen).toEqual(['wipe', 'wipe']);
    expect(ran).toEqual(['wipe tmp']);
  });

  it('holds for every attempt: a tool that changes its arguments gets the judged ones again', async () => {
    const got: string[] = [];
    const board = new ToolRegistry({ retries: 1, retryDelay: 0 }).register(
      defineTool({
        name: 'move',
        description: 'Move a file.',
        schema: z.object({ paths: z.array(z.string()) }),
        execute: ({ paths }) => {
          got.push(paths.join());
          paths.push('/');
          if (got.length === 1) throw new ToolError({ code: 'execution_failed', message: 'busy', recoverable: true });
        },
      }),
    );
    await attack({ approval: 'all' }, [{ name: 'move', input: { paths: ['tmp'] } }], { board });
    expect(got).toEqual(['tmp', 'tmp']);
  });

  it.each([
    ['an alias', { name: 'erase', input: { path: '/' } }],
    ['arguments as a text', { name: 'wipe', input: '"{\\"path\\":\\"/\\"}"' }],
  ])('is asked about a call by %s', async (_, call) => {
    const { board, ran } = makeTarget();
    const { asked } = await attack({ approval: 'destructive' }, [call], { board, answer: false });
    expect(asked).toEqual(['wipe {"path":"/","force":false}']);
    expect(ran).toEqual([]);
  });

  it('reaches every agent below: the strictest on the way counts', async () => {
    const { board, ran } = makeTarget();
    const task = { task: 'go' };
    const lowest = helperAgent('lowest', { tools: ['look', 'note', 'wipe'], approval: 'none' }, [
      { name: 'look' },
      { name: 'note', input: { text: 'a' } },
      { name: 'wipe', input: { path: 'tmp' } },
    ]);
    const middle = helperAgent('middle', { tools: [], agents: [lowest], approval: 'destructive' }, [
      { name: 'lowest', input: task },
    ]);
    const lead = { tools: [], agents: [middle], approval: 'write' } as const;
    const { asked } = await attack(lead, [{ name: 'middle', input: task }], { board });
    expect(asked).toEqual([
      'middle {"task":"go"}',
      'lowest {"task":"go"}',
      'note {"text":"a"}',
      'wipe {"path":"tmp","force":false}',
    ]);
    expect(ran).toEqual(['look', 'note a', 'wipe tmp']);
  });

  it('is that of the agent below where that one is stricter', async () => {
    const { board, ran } = makeTarget();
    const helper = helperAgent('helper', { tools: ['look'], approval: 'all' }, [{ name: 'look' }]);
    const lead = { tools: [], agents: [helper], approval: 'none' } as const;
    const { asked, told } = await attack(lead, [{ name: 'helper', input: { task: 'go' } }], { board, answer: false });
    expect(asked).toEqual(['look {}']);
    expect(told[0]).toContain('The user was asked about this call of "look" and said no.');
    expect(ran).toEqual([]);
  });

  it('reaches an agent that is a tool of the board, also one that call_tool names', async () => {
    const { board, ran } = makeTarget();
    const helper = helperAgent('helper', { tools: ['wipe'] }, [{ name: 'wipe', input: { path: 'tmp' } }]);
    board.register(agentAsTool(helper, { board }));
    const agent = { tools: ['helper', 'call_tool'], approval: 'destructive' } as const;
    const call = { name: 'call_tool', input: { name: 'helper', arguments: { task: 'go' } } };
    const { asked } = await attack(agent, [call], { board, answer: false });
    expect(asked).toEqual(['wipe {"path":"tmp","force":false}']);
    expect(ran).toEqual([]);
  });

  it('reaches a run that a tool starts with its context, besides the approval of that run', async () => {
    const { board, ran } = makeTarget();
    const own: string[] = [];
    board.register(
      defineTool({
        name: 'delegate',
        description: 'Start another agent.',
        risk: 'read',
        schema: z.object({}),
        execute: async (_, context) => {
          const helper = helperAgent('helper', { tools: ['wipe'], approval: 'all' }, [{ name: 'wipe' }]);
          return (await runAgent(helper, 'go', { board, context, approve: keepAsked(own) })).text;
        },
      }),
    );
    const agent = { tools: ['delegate'], approval: 'destructive' } as const;
    const { asked } = await attack(agent, [{ name: 'delegate' }], { board, answer: false });
    expect([own, asked]).toEqual([['wipe {"path":".","force":false}'], ['wipe {"path":".","force":false}']]);
    expect(ran).toEqual([]);
  });

  it('reaches the calls of a tool that calls others with its context', async () => {
    const { board, ran } = makeTarget();
    board.register(
      defineTool({
        name: 'tidy',
        description: 'Tidy up.',
        risk: 'read',
        schema: z.object({}),
        execute: async (_, context) => (await board.call('wipe', { path: 'tmp' }, { context })).text,
      }),
    );
    const { asked, told } = await attack({ approval: 'write' }, [{ name: 'tidy' }], { board, answer: false });
    expect(asked).toEqual(['wipe {"path":"tmp","force":false}']);
    expect(told[0]).toContain(NO);
    expect(ran).toEqual([]);
  });

  it('asks about each of several calls at once, and once where the answer of a read is shared', async () => {
    const { board, ran } = makeTarget();
    const asked: string[] = [];
    const wipe = { name: 'wipe', input: { path: 'tmp' } };
    const model = scriptedModel([{ calls: [{ name: 'look' }, { name: 'look' }, wipe, wipe] }, 'done']);
    const agent = defineAgent({ name: 'a', model, approval: 'all' });
    await streamAgent(agent, 'go', { board, approve: keepAsked(asked) }).result;
    expect(asked.toSorted()).toEqual(['look {}', ...Array(2).fill('wipe {"path":"tmp","force":false}')]);
    expect(ran.toSorted()).toEqual(['look', 'wipe tmp', 'wipe tmp']);
  });

  it('asks again about a read that was refused', async () => {
    const { board, ran } = makeTarget();
    const { asked } = await attack({ approval: 'all' }, [{ name: 'look' }, { name: 'look' }], { board, answer: false });
    expect(asked).toEqual(['look {}', 'look {}']);
    expect(ran).toEqual([]);
  });

  it('is a no for an agent that is served over MCP with nobody to ask, whatever way it takes', async () => {
    const { board, ran } = makeTarget();
    const served = helperAgent('served', { tools: ['wipe', 'call_tool'], approval: 'destructive' }, [WIPE]);
    board.register(agentAsTool(served, { board }));
    expect(await callOverMcp(board, 'served', { task: 'go' })).toContain(
      'A person must approve calls of "wipe" (risk: destructive), and no one can be asked here.',
    );
    expect(ran).toEqual([]);
  });
});

describe('a policy and an agent', () => {
  const CONFIG = `
name: shop
tools:
  - { name: sell, description: Sell it., type: cli, command: printf sold, risk: write }
  - { name: burn, description: Burn it., type: cli, command: printf burnt, risk: destructive }
discovery: { tools: true }
policy: { approval: { global: write } }
agents:
  clerk: { tools: [sell], approval: all }
`;

  async function openShop(asked: string[], approve = keepAsked(asked), further = 'tools: []') {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-guard-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const write = (text: string): void => writeFileSync(join(folder, 'pegboard.yaml'), text);
    write(CONFIG);
    writeFileSync(join(folder, 'further.yaml'), further);
    const board = await openBoard(['pegboard.yaml', 'further.yaml'], { cwd: folder, approve });
    onTestFinished(() => board.close());
    return { board, approve, write };
  }

  const sell = { name: 'call_tool', input: { name: 'sell' } };
  const burn = { name: 'call_tool', input: { name: 'burn' } };

  it('ask the same person once, and both hold for an agent from a file', async () => {
    const asked: string[] = [];
    const { board, approve } = await openShop(asked);
    const clerk = readAgents(board).get('clerk') ?? expect.fail('There is no clerk.');
    const model = scriptedModel([{ calls: [sell, burn] }, 'done']);
    const { steps } = await runAgent({ ...clerk, tools: ['sell', 'call_tool'], model }, 'go', { board, approve });
    const told = steps.flatMap(({ calls }) => calls.map(({ result: { text } }) => text));
    expect(asked).toEqual(['sell {}']);
    expect(told[0]).toBe('sold');
    expect(told[1]).toContain('There is no tool "burn".');
  });

  it('ask two people where they name two, and each of them can say no', async () => {
    const asked: string[] = [];
    const { board } = await openShop(asked);
    const agent = { tools: ['sell'], approval: 'write' } as const;
    const refused = await attack(agent, [{ name: 'sell' }], { board, answer: false });
    expect([asked, refused.asked]).toEqual([['sell {}'], ['sell {}']]);
    expect(refused.told[0]).toContain('The user was asked about this call of "sell" and said no.');
    const allowed = await attack(agent, [{ name: 'sell' }], { board });
    expect([asked.length, allowed.told]).toEqual([2, ['sold']]);
  });

  it('ask whoever the board asks where a run names no one, and once for both', async () => {
    const asked: string[] = [];
    const { board } = await openShop(asked);
    const spec = { name: 'a', tools: ['sell'], approval: 'all' } as const;
    const model = scriptedModel([{ calls: [{ name: 'sell' }] }, 'done']);
    const { steps } = await runAgent(defineAgent({ ...spec, model }), 'go', { board });
    expect(steps[0]?.calls[0]?.result.text).toBe('sold');
    expect(asked).toEqual(['sell {}']);
  });

  it('ask no one whom the caller names in its context', async () => {
    const asked: string[] = [];
    const own: string[] = [];
    const { board } = await openShop(asked, keepAsked(asked, false));
    const named = keepAsked(own);
    const context = {
      approve: named,
      elicit: named,
      approval: { approve: named },
      asking: { keeper: { approve: named } },
    };
    const { ok, error } = await board.call('sell', {}, { context });
    expect([ok, error?.code, asked, own]).toEqual([false, 'permission_denied', ['sell {}'], []]);
  });

  it('ask the same person once, however many files want that', async () => {
    const asked: string[] = [];
    const approve = keepAsked(asked);
    const { board } = await openShop(asked, approve, 'policy: { approval: { global: all } }');
    expect((await board.call('sell')).text).toBe('sold');
    await attack({ tools: ['sell'], approval: 'all' }, [{ name: 'sell' }], { board, approve });
    expect(asked).toEqual(['sell {}', 'sell {}']);
  });

  it('judge again when the policy was changed while the agent’s person thought', async () => {
    const asked: string[] = [];
    const { board, write } = await openShop(asked);
    const { told } = await attack({ tools: ['sell'], approval: 'write' }, [{ name: 'sell' }], {
      board,
      approve: async () => {
        write(CONFIG.replace('policy: {', 'policy: { deny: [sell],').replace('tools: [sell]', 'tools: [burn]'));
        return (await board.reload()).ok;
      },
    });
    expect(told[0]).toContain('The policy does not allow "sell": the rule deny[0] ("sell") forbids it.');
  });

  it('ask through the tool’s own methods too, within the agent’s set', async () => {
    const asked: string[] = [];
    const { board, approve } = await openShop(asked);
    const use = defineTool({
      name: 'use',
      description: 'Use a tool that it holds.',
      risk: 'read',
      schema: z.object({ tool: z.string() }),
      execute: async ({ tool }, context) => board.registry.get(tool)?.execute({}, context),
    });
    const calls = ['sell', 'burn'].map((tool) => ({ name: 'use', input: { tool } }));
    const { told } = await attack({ tools: [use, 'sell'], approval: 'write' }, calls, { board, approve });
    expect(asked).toEqual(['sell {}']);
    expect(told[0]).toBe('sold');
    expect(told[1]).toContain('There is no tool "burn".');
  });

  it('keep an agent’s tools its own when the board is reloaded under it', async () => {
    const { board, write } = await openShop([]);
    const use = defineTool({
      name: 'use',
      description: 'Reload, then call a tool.',
      schema: z.object({ tool: z.string() }),
      execute: async ({ tool }, context) => {
        write(CONFIG.replace('printf sold', 'printf again'));
        await board.reload();
        return (await board.call(tool, {}, { context })).text;
      },
    });
    const calls = ['sell', 'burn'].map((tool) => ({ name: 'use', input: { tool } }));
    const { told } = await attack({ tools: [use, 'sell'] }, calls, { board });
    expect(told[0]).toBe('again');
    expect(told[1]).toContain('There is no tool "burn".');
  });
});
