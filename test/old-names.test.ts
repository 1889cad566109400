// Names of earlier versions, such as memory.read_graph, still mean the tools of servers wherever people have written them.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { selectTools } from '../src/agent/loop/select-tools.ts';
import { toAccess } from '../src/cli/commands/serve/serve-settings.ts';
import { defineAgent, runAgent } from '../src/agent.ts';
import { createTestContext } from '../src/cli/cli-context.test-helper.ts';
import { runCli } from '../src/cli/run-cli.ts';
import { evaluate } from '../src/discovery/eval/evaluate.ts';
import { keepLearned, LEARNED_SPACE } from '../src/discovery/learn/learned-queries.ts';
import { type Board, toAnthropicTools, toGeminiTools, toOpenAITools } from '../src/index.ts';
import { scriptedModel } from '../src/testing.ts';
import { CLI } from './cli-program.test-helper.ts';
import { boardFolder, fixture, openAtOnce, openFolder, ownNames } from './upstream-boards.test-helper.ts';

const run = promisify(execFile);

type Json = Readonly<Record<string, unknown>>;

/** A server that offers these tools. */
function server(as: string, tools: readonly string[], more: Json = {}): Json {
  return { ...fixture('named-server.ts', '--as', as, ...tools), ...more };
}

const MEMORY = { memory: server('memory', ['read_graph', 'delete_graph']) };

function open(config: Json, mcpServers: Json = MEMORY): Promise<Board> {
  return openFolder(boardFolder({ mcpServers, ...config }));
}

/** What a board tells, as `path: message`. */
function told({ diagnostics }: Board): string[] {
  return diagnostics.map(({ severity, path, message }) => `${severity} ${path.join('.')}: ${message}`);
}

const NOW = (tool: string): string => `"memory.${tool}" is called "memory__${tool}" now. Write that name.`;

/** Collects the warnings of this process. */
function warnings(): string[] {
  const heard: string[] = [];
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void heard.push(String(warning)));
  onTestFinished(() => spy.mockRestore());
  return heard;
}

describe('a call by an old name', () => {
  it('reaches the tool in every way, and is told once', async () => {
    const heard = warnings();
    const board = await open({ discovery: { tools: true } }, { once: server('once', ['read_graph']) });
    const own = 'once: read_graph {}';
    expect((await board.call('once.read_graph')).text).toBe(own);
    expect((await board.registry.call('once.read_graph')).text).toBe(own);
    expect((await board.call('call_tool', { name: 'once.read_graph' })).text).toBe(own);
    expect((await board.call('describe_tool', { name: 'once.read_graph' })).text).toContain('once__read_graph');
    const [called] = await board.registry.callAll([{ id: '1', name: 'once.read_graph', input: {} }]);
    expect(called?.text).toBe(own);
    expect(board.registry.get('once.read_graph')).toBe(board.registry.get('once__read_graph'));
    expect(board.registry.only(['once.read_graph', 'once__read_graph'])).toHaveLength(1);
    expect(heard).toEqual(['The tool "once.read_graph" is called "once__read_graph" now. Write that name.']);
  });

  it('is told in one line at the terminal', async () => {
    const folder = boardFolder({ mcpServers: MEMORY });
    const { stdout, stderr } = await run(process.execPath, [CLI, 'call', 'memory.read_graph'], { cwd: folder });
    expect(stdout).toBe('memory: read_graph {}\n');
    expect(stderr).toBe(`warning The tool ${NOW('read_graph')}\n`);
  });

  it("reaches it through CLImax's call", async () => {
    const board = await open({ discovery: { tools: 'climax' } });
    const { text } = await board.call('climax_call', { tool_name: 'memory.read_graph', args: {} });
    expect(text).toBe('memory: read_graph {}');
  });

  it('reaches it before its server has answered, by itself and through another tool', async () => {
    const config = { mcpServers: MEMORY, discovery: { tools: true } };
    const [first, second] = [await openAtOnce(boardFolder(config)), await openAtOnce(boardFolder(config))];
    expect((await first.call('memory.read_graph')).text).toBe('memory: read_graph {}');
    expect((await second.call('call_tool', { name: 'memory.read_graph' })).text).toBe('memory: read_graph {}');
  });

  it('reaches the tool that has the name itself, where there is one', async () => {
    const tools = [{ name: 'memory.read_graph', type: 'cli', command: 'echo own', description: 'Its own.' }];
    const board = await open({ tools });
    expect((await board.call('memory.read_graph')).text.trim()).toBe('own');
    expect((await board.call('memory__read_graph')).text).toBe('memory: read_graph {}');
  });

  it('reaches neither of two tools that could have had it', async () => {
    const board = await open({}, { a: server('a', ['b.c']), 'a.b': server('a.b', ['c']) });
    expect(ownNames(board)).toEqual(['a__b_c', 'a_b__c']);
    expect((await board.call('a.b.c')).error?.code).toBe('not_found');
  });
});

describe('an old name in a file', () => {
  it.each([
    ['policy.deny.0', { policy: { deny: ['memory.read_graph'] } }],
    ['policy.allow.0', { policy: { allow: ['memory.read_graph'], approval: { global: 'none' } } }],
    ['policy.deny.0.name.1', { policy: { deny: [{ name: ['x', 'memory.read_graph'] }] } }],
    ['policy.tools.memory.read_graph', { policy: { tools: { 'memory.read_graph': { require_approval: true } } } }],
    ['policy.approval.tools.memory.read_graph', { policy: { approval: { tools: { 'memory.read_graph': true } } } }],
    ['discovery.pinned.0', { discovery: { pinned: ['memory.read_graph'] } }],
    ['agents.helper.tools.0', { agents: { helper: { tools: ['memory.read_graph'] } } }],
    ['agents.helper.pinned.0', { agents: { helper: { pinned: ['memory.read_graph'] } } }],
    ['agents.helper.tool_choice.tool', { agents: { helper: { tool_choice: { tool: 'memory.read_graph' } } } }],
    [
      'serve.tokens.0.allow.0',
      { serve: { tokens: [{ name: 'x', hash: `sha256:${'0'.repeat(64)}`, allow: ['memory.read_graph'] }] } },
    ],
    ['serve.tasks.only.0', { serve: { tasks: { only: ['memory.read_graph'] } } }],
  ])('under %s is told with the name to write', async (path, config) => {
    const message = `warning ${path}: ${NOW('read_graph')}`;
    expect(told(await open(config)).filter((line) => line.includes(path))).toEqual([message]);
  });

  it('is told for a pattern with the pattern to write', async () => {
    const board = await open({ policy: { deny: ['memory.*'] } });
    expect(told(board)).toEqual([
      'warning policy.deny.0: "memory.*" matches an old name of "memory__read_graph". Write "memory__*".',
    ]);
    expect(ownNames(board)).toEqual([]);
  });

  it('is not told for patterns that match the name of now too', async () => {
    expect(told(await open({ policy: { deny: ['mem*', '*_graph', '*'] } }))).toEqual([]);
  });

  it('pins the tool under its name of now', async () => {
    const board = await open({ discovery: { pinned: ['memory.read_graph', 'memory__delete_graph'] } });
    expect(board.pinned).toEqual(['memory__read_graph', 'memory__delete_graph']);
  });

  it('gives an agent the tool', async () => {
    const { registry } = await open({});
    for (const tools of [['memory.read_graph'], ['memory.read_*'], [{ name: 'memory.read_graph' }]]) {
      const picked = selectTools({ name: 'helper', tools }, registry);
      expect(picked.map(({ metadata }) => metadata.name)).toEqual(['memory__read_graph']);
    }
  });

  it('gives a token its rights', async () => {
    const { registry } = await open({});
    const permitted = (rules: string[]): string[] => {
      const access = toAccess(rules);
      return registry.getAll().flatMap((tool) => (access.allows(tool) ? [tool.metadata.name] : []));
    };
    expect(permitted(['memory.read_graph'])).toEqual(['memory__read_graph']);
    expect(permitted(['memory.*'])).toEqual(['memory__read_graph', 'memory__delete_graph']);
    expect(permitted(['memory__*'])).toEqual(['memory__read_graph', 'memory__delete_graph']);
    expect(permitted(['*__read_graph'])).toEqual(['memory__read_graph']);
  });
});

describe('a lock of an earlier version', () => {
  async function lock(mode: string): Promise<string> {
    const folder = boardFolder({ mcpServers: MEMORY, lock: mode });
    const board = await openFolder(folder, { lock: 'ignore' });
    board.lock.write();
    await board.close();
    const file = join(folder, 'pegboard.lock');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"memory__', '"memory.'));
    return folder;
  }

  it('shows no changes, and says how to write the names of now', async () => {
    const folder = await lock('deny');
    const board = await openFolder(folder);
    expect(ownNames(board)).toEqual(['memory__read_graph', 'memory__delete_graph']);
    expect(board.lock.changes).toEqual([]);
    expect(told(board)).toEqual([
      'warning : has 2 tools under old names: "memory.read_graph" is called "memory__read_graph" now. Run pegboard lock to write the new names.',
    ]);
    board.lock.write();
    expect(Object.keys(JSON.parse(readFileSync(join(folder, 'pegboard.lock'), 'utf8')).tools)).toEqual([
      'memory__delete_graph',
      'memory__read_graph',
    ]);
    expect(told(await openFolder(folder))).toEqual([]);
  });

  it('still shows what changed', async () => {
    const folder = await lock('deny');
    const changed = {
      memory: server('memory', ['read_graph', 'delete_graph', '--schema', '{"type":"object","title":"New"}']),
    };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ mcpServers: changed, lock: 'deny' }));
    const board = await openFolder(folder);
    expect(ownNames(board)).toEqual([]);
    expect(board.lock.changes.map(({ type, name }) => [type, name])).toEqual([
      ['changed', 'memory__delete_graph'],
      ['changed', 'memory__read_graph'],
    ]);
  });

  it('gives its pins to no tool of another server', async () => {
    const folder = await lock('deny');
    const other = { memory: server('memory', [], {}), evil: server('evil', ['read_graph'], { prefix: 'memory__' }) };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ mcpServers: other, lock: 'deny' }));
    const board = await openFolder(folder);
    expect(ownNames(board)).toEqual([]);
    const dotted = { evil: server('evil', ['read_graph'], { prefix: 'memory.' }) };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ mcpServers: dotted, lock: 'deny' }));
    expect(ownNames(await openFolder(folder))).toEqual([]);
  });
});

it('old names in evaluations and learned queries mean the tools of now', async () => {
  const board = await open({});
  warnings();
  const { measures, misses } = await evaluate(board.index, [{ query: 'read graph', expected: ['memory.read_graph'] }]);
  expect(misses).toEqual([]);
  expect(measures).toMatchObject({ 'recall@10': 1 });
  expect(board.index.rank('zeppelin').hits).toEqual([]);
  board.index.learn('zeppelin', 'memory.delete_graph');
  expect(board.index.rank('zeppelin').hits.map(({ name }) => name)).toEqual(['memory__delete_graph']);
  board.index.forget('memory.delete_graph');
  expect(board.index.rank('zeppelin').hits).toEqual([]);
});

it('what was learned under an old name is listed and forgotten by both', async () => {
  const folder = boardFolder({ mcpServers: MEMORY });
  const learn = async (): Promise<void> => {
    const board = await openFolder(folder);
    await keepLearned(board.store.space(LEARNED_SPACE), { tool: 'memory.read_graph', query: 'all that we know' });
    await board.close();
  };
  const run = async (...args: string[]): Promise<{ code: number; stdout: string }> => {
    const context = createTestContext({ cwd: folder, env: { PATH: process.env['PATH'] } });
    const code = await runCli(['learned', ...args], context);
    return { code, stdout: context.printed().stdout };
  };
  warnings();
  await learn();
  for (const name of ['memory.read_graph', 'memory__read_graph']) {
    expect((await run(name)).stdout).toContain('all that we know');
    expect(await run('--forget', name)).toEqual({ code: 0, stdout: 'Forgot 1 query.\n' });
    await learn();
  }
  expect((await run('memory__delete_graph')).code).toBe(1);
});

it('an agent must first call a tool that it names by its old name', async () => {
  const board = await open({});
  const model = scriptedModel(['done']);
  const agent = defineAgent({
    name: 'helper',
    description: 'Helps.',
    model,
    tools: ['memory.read_graph'],
    toolChoice: { tool: 'memory.read_graph' },
  });
  warnings();
  expect((await runAgent(agent, 'go', { board })).text).toBe('done');
  expect(model.requests[0]?.toolChoice).toBe('memory__read_graph');
});

it('exports need no other names', async () => {
  const { registry } = await open({}, { 'my server': server('memory', ['files.read', 'x'.repeat(100)]) });
  const tools = registry.getAll();
  for (const { names } of [toOpenAITools(tools), toAnthropicTools(tools), toGeminiTools(tools)])
    for (const [own, exported] of names.entries()) expect(exported).toBe(own);
});
