// Rules by risk judge the call that is made: the same tool is there for harmless calls, and refused for worse ones, whoever calls.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent, runAgent } from '../src/agent.ts';
import { createAuthenticator } from '../src/features/serving/commands/serve/create-authenticator.ts';
import { toAccess } from '../src/features/serving/commands/serve/serve-settings.ts';
import { runCode } from '../src/code.ts';
import { type Board, defineTool, openBoard, type Tool, type ToolResult } from '../src/index.ts';
import { McpServer, serveHttp } from '../src/mcp.ts';
import { hashToken } from '../src/mcp/server/auth/token-authenticator.ts';
import { LOCAL_USER } from '../src/mcp/server/caller.ts';
import { resultOf, TestClient } from '../src/mcp/server/test-client.test-helper.ts';
import { scriptedModel } from '../src/testing.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-risk-rules-')));
// The board's data must not lie in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
afterAll(() => rmSync(top, { recursive: true, force: true }));

const TOOLS = `
  - name: get
    aliases: [show]
    type: cli
    description: Show things
    command: echo got
    risk: read
    args:
      - { name: kinds, type: array, positional: true, risk: { 'secret*': destructive } }
      - { name: note, flag: --note, risk: write }
      - name: filters
        type: array
        sequence:
          - { name: include }
          - { name: exclude_from, risk: destructive }
          - { name: mode, risk: { plain: read, '*': write } }
          - { name: wipe, type: boolean, risk: destructive }
  - name: burn
    type: cli
    description: Burn things
    command: echo burnt
    risk: read
    args: [{ name: what, positional: true, required: true, risk: destructive }]
  - { name: peek, type: program, description: Peek, file: peek.js, tools: [get], risk: read, schema: { properties: { kinds: { type: array } } } }
resources:
  - { template: 'got://{kind}', tool: get, args: { kinds: ['{{kind}}'] } }
`;
writeFileSync(join(folder, 'peek.js'), 'return tools.get(input);\n');

const erase = defineTool({
  name: 'erase',
  description: 'Erase things',
  risk: 'read',
  argumentRisks: {
    mode: { look: 'read', '*': 'destructive' },
    count: { '0': 'read', '*': 'write' },
    verify: { false: 'write' },
  },
  // A schema's default is given as if the call had it.
  schema: z.object({
    mode: z.string().default('all'),
    count: z.union([z.number(), z.bigint(), z.string(), z.set(z.string())]).optional(),
    verify: z.boolean().optional(),
  }),
  execute: () => 'erased',
});

const clear = defineTool({
  name: 'clear',
  description: 'Clear things',
  risk: 'read',
  argumentRisks: { 'how.deep': { no: 'read', '*': 'destructive' } },
  schema: {
    type: 'object',
    properties: { how: { type: 'object', properties: { deep: { type: 'string', default: 'yes' } }, default: {} } },
  },
  execute: () => 'cleared',
});

async function open(policy: string, { name = 'pegboard', tools = [erase, clear] as Tool[] } = {}): Promise<Board> {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, `discovery: { tools: true }\npolicy: ${policy}\ntools:${TOOLS}`);
  const board = await openBoard({ files: file, cwd: folder, data: join(top, 'data'), tools, approve: () => true });
  onTestFinished(() => board.close());
  return board;
}

const outcome = ({ ok, error }: ToolResult): string => (ok ? 'runs' : (error?.code ?? ''));

const SECRET = { kinds: ['pods', 'SECRET/login'] };
const BOTH = { ...SECRET, note: 'x' };

describe('a rule by risk', () => {
  const runs = 'runs';
  const denied = 'permission_denied';
  const ALL = { harmless: runs, note: runs, secret: runs, both: runs } as const;
  const NONE = { harmless: denied, note: denied, secret: denied, both: denied } as const;
  it.for([
    ['allow: [{ risk: read }]', { harmless: runs, note: denied, secret: denied, both: denied }],
    ['allow: [{ risk: [read, write] }]', { harmless: runs, note: runs, secret: denied, both: denied }],
    // A rule that allows a higher risk of a tool allows its lower ones.
    ['allow: [{ risk: write }]', { harmless: runs, note: runs, secret: denied, both: denied }],
    ['allow: [{ risk: destructive }]', ALL],
    ['allow: [get, { risk: read }]', ALL],
    ['default: disabled, tools: { get: {} }, allow: [{ risk: read }]', ALL],
    ['allow: [{ risk: read, source: elsewhere }]', NONE],
    ['deny: [{ risk: destructive }]', { harmless: runs, note: runs, secret: denied, both: denied }],
    // A further argument, which makes a call worse, gets it past no rule.
    ['deny: [{ risk: write }]', { harmless: runs, note: denied, secret: denied, both: denied }],
    ['deny: [{ risk: read }]', NONE],
    ['allow: [{ risk: read }], deny: [{ risk: read, name: get }]', NONE],
  ] as const)('judges the call: %s', async ([rules, expected]) => {
    const board = await open(`{ approval: { global: none }, ${rules} }`);
    const call = async (args: Record<string, unknown>): Promise<string> => {
      const result = await board.call('get', args);
      return result.error?.code === 'not_found' ? denied : outcome(result);
    };
    const [harmless, note, secret, both] = await Promise.all([{}, { note: 'x' }, SECRET, BOTH].map(call));
    expect({ harmless, note, secret, both }).toEqual(expected);
    expect(board.registry.has('get')).toBe(harmless === runs);
  });

  it('says which argument takes a call beyond it, and what to change', async () => {
    const board = await open('{ approval: { global: none }, allow: [{ risk: read }] }');
    const { error } = await board.call('get', BOTH);
    expect(error?.toJSON()).toEqual({
      code: 'permission_denied',
      message:
        'This call of "get" is not allowed: with kinds=secret*, note it is destructive, and it is not among the calls that the policy enables. Calls that only read are: leave those arguments out or give another value, or tell the user what you need it for.',
      tool: 'get',
      field: 'kinds',
      reason: 'with kinds=secret*, note it is destructive, and it is not among the calls that the policy enables',
      recoverable: false,
    });
    const { verdict } = await board.dryRun('get', SECRET);
    expect(verdict).toEqual({
      type: 'refused',
      message:
        'This call of "get" is not allowed: with kinds=secret* it is destructive, and it is not among the calls that the policy enables. Calls that only read are: leave that argument out or give another value, or tell the user what you need it for.',
    });
    expect((await board.dryRun('get', { kinds: ['pods'] })).verdict).toBeUndefined();
    const closed = await open('{ approval: { global: none }, deny: [{ risk: destructive }] }');
    expect((await closed.call('get', SECRET)).error?.message).toContain(
      'and the rule deny[0] (risk "destructive") forbids it. Calls with the risk write at most are: leave',
    );
  });

  it('shows a tool of which some call passes, and no tool of which none does', async () => {
    const board = await open('{ approval: { global: none }, allow: [{ risk: read }] }');
    // Each call of burn gives what makes it destructive; erase may look.
    expect(
      board.registry
        .names()
        .filter((name) => ['get', 'burn', 'erase'].includes(name))
        .toSorted(),
    ).toEqual(['erase', 'get']);
    expect(board.search('show things')[0]?.metadata.name).toBe('get');
    expect((await board.call('describe_tool', { names: ['get'] })).text).toContain('destructive with kinds=secret*');
    expect(board.registry.generatePrompt()).toContain('get');
  });

  it('holds for every way to a call', async () => {
    const board = await open('{ approval: { global: none }, allow: [{ risk: read }] }');
    expect(outcome(await board.call('show', SECRET))).toBe(denied);
    const byName = (args: object) => board.call('call_tool', { name: 'get', arguments: args });
    expect([outcome(await byName({})), outcome(await byName(SECRET))]).toEqual([runs, denied]);
    expect((await runCode(board, 'return await tools.get({});')).ok).toBe(true);
    const program = await runCode(board, "return await tools.get({ kinds: ['secrets'] });");
    expect(program).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('with kinds=secret* it is destructive') },
    });
    expect(outcome(await board.call('peek', {}))).toBe(runs);
    expect((await board.call('peek', SECRET)).text).toContain('with kinds=secret* it is destructive');
    // A hook changes a harmless call; a person changes one that waits.
    board.executor.hooks.before(({ tool, args }) => {
      if (tool.metadata.name === 'get' && args['note'] === undefined) Object.assign(args, { kinds: ['secret'] });
    });
    expect(outcome(await board.call('get', {}))).toBe(denied);
  });

  it('holds for what a person makes of a call', async () => {
    const file = join(folder, 'edited.yaml');
    writeFileSync(file, `policy: { deny: [{ risk: destructive }] }\ntools:${TOOLS}`);
    const asked: string[] = [];
    const board = await openBoard({
      files: file,
      cwd: folder,
      data: join(top, 'data'),
      approve: ({ message }) => {
        asked.push(message);
        return { allow: true, args: SECRET };
      },
    });
    onTestFinished(() => board.close());
    expect(outcome(await board.call('get', { note: 'x' }))).toBe(denied);
    expect(asked).toEqual(['Allow get (write with note) with these arguments?\n  note: "x"']);
  });
});

describe('a call with a risk that hides', () => {
  it.for([
    { kinds: ['Secret'] },
    { kinds: [' secrets '] },
    { kinds: ['pods,SECRET'] },
    { filters: [{ include: '*' }, { exclude_from: 'x' }] },
    { filters: [{ mode: 'plain' }, { mode: 'PLAIN' }] },
    { filters: [{ wipe: false }, { wipe: true }] },
    // As a model sends it.
    { filters: '[{"exclude_from":"x"}]' },
    { kinds: '["secret"]' },
  ] as const)('is found: %j', async (args) => {
    const board = await open('{ approval: { global: none }, allow: [{ risk: read }] }');
    expect(outcome(await board.call('get', args, { coerce: true }))).toBe('permission_denied');
    expect(outcome(await board.call('call_tool', { name: 'get', arguments: args }))).toBe('permission_denied');
  });

  it('is none where nothing raises it', async () => {
    const board = await open('{ approval: { global: none }, allow: [{ risk: read }] }');
    const calls = [
      { filters: [{ mode: 'plain' }, { include: 'secret' }, { wipe: false }] },
      { filters: [] },
      { kinds: ['pods', 'my-secret'] },
    ];
    for (const args of calls) expect([args, outcome(await board.call('get', args))]).toEqual([args, 'runs']);
    expect((await board.call('get', { filters: [{ exclude_from: 'x' }, { mode: 'PLAIN' }] })).error).toMatchObject({
      field: 'filters.exclude_from',
      reason: expect.stringContaining('with filters.exclude_from, filters.mode=* it is destructive'),
    });
  });

  it('is found in defaults, numbers, sets and what is false', async () => {
    const board = await open('{ approval: { global: none }, allow: [{ risk: read }] }');
    const erased = async (args: Record<string, unknown>): Promise<string> => outcome(await board.call('erase', args));
    // Left out, it is "all", and how.deep is "yes".
    expect(await erased({})).toBe('permission_denied');
    for (const how of [{ how: {} }, { how: { deep: 'NO' } }, {}])
      expect([how, outcome(await board.call('clear', how))]).toEqual([how, 'permission_denied']);
    expect(outcome(await board.call('clear', { how: { deep: 'no' } }))).toBe('runs');
    const look = { mode: 'look' };
    const harmless = [
      look,
      { ...look, count: 0 },
      { ...look, count: '0' },
      { ...look, count: 0n },
      { ...look, verify: true },
    ];
    for (const args of harmless) expect(await erased(args)).toBe('runs');
    const worse = [
      { mode: 'LOOK' },
      { ...look, count: 1 },
      { ...look, count: '00' },
      { ...look, count: 7n },
      { ...look, count: new Set(['0', '1']) },
      { ...look, verify: false },
    ];
    for (const args of worse) expect(await erased(args)).toBe('permission_denied');
  });
});

describe('the rights of a caller', () => {
  it('of a token are those to calls', async () => {
    const board = await open('{ approval: { global: none } }');
    const server = new McpServer(board, { mode: 'classic' });
    onTestFinished(() => server.close());
    const as = (rules: Parameters<typeof toAccess>[0]) =>
      new TestClient(server, { ...LOCAL_USER, id: 'ada', access: toAccess(rules) });
    const reader = as([{ risk: 'read' }, { resource: 'got://*' }]);
    const { tools } = resultOf(await reader.modern('tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('get');
    expect(tools.map(({ name }) => name)).not.toContain('burn');
    const call = async (client: TestClient, name: string, args: object): Promise<string> =>
      JSON.stringify(resultOf(await client.modern('tools/call', { name, arguments: args })));
    expect(await call(reader, 'get', {})).toContain('got');
    const refused = 'with kinds=secret* it is destructive, and this client may not make such calls';
    expect(await call(reader, 'get', SECRET)).toContain(refused);
    expect(await call(reader, 'show', SECRET)).toContain(refused);
    // A program of the board acts for its caller, and so does a resource.
    expect(await call(reader, 'peek', {})).toContain('got');
    expect(await call(reader, 'peek', SECRET)).toContain(refused);
    const read = (kind: string) => reader.modern('resources/read', { uri: `got://${kind}` });
    expect(JSON.stringify(await read('pods'))).toContain('got pods');
    expect(JSON.stringify(await read('secrets'))).not.toContain('got secrets');
    const named = as(['get']);
    expect(await call(named, 'get', SECRET)).toContain('SECRET/login');
    // Search, and programs of the client's own.
    const coding = new McpServer(board, { mode: 'code' });
    onTestFinished(() => coding.close());
    const coder = new TestClient(coding, { ...LOCAL_USER, id: 'ada', access: toAccess([{ risk: 'read' }]) });
    expect(await call(coder, 'run_code', { code: 'return await tools.get({});' })).toContain('got');
    expect(await call(coder, 'run_code', { code: "return await tools.get({ kinds: ['secret'] });" })).toContain(
      refused,
    );
    const finding = new McpServer(board, { mode: 'discovery' });
    onTestFinished(() => finding.close());
    const finder = new TestClient(finding, { ...LOCAL_USER, id: 'ada', access: toAccess([{ risk: 'read' }]) });
    expect(await call(finder, 'call_tool', { name: 'get', arguments: SECRET })).toContain(refused);
    expect(await call(finder, 'call_tool', { name: 'get', arguments: {} })).toContain('got');
  });

  it('of a token are the same over plain HTTP', async () => {
    const board = await open('{ approval: { global: none } }');
    const token = 'a-token-of-this-test-alone';
    const tokens = [{ name: 'ada', hash: hashToken(token), allow: [{ risk: ['read', 'write'] }] }];
    const options = { token: undefined, isOpen: false, boardToken: () => token };
    const server = await serveHttp(board, { port: 0, authenticator: createAuthenticator({ tokens }, options) });
    onTestFinished(() => server.close());
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const post = async (args: object): Promise<readonly [number, string]> => {
      const body = JSON.stringify(args);
      const response = await fetch(new URL('/tools/get', server.url), { method: 'POST', headers, body });
      return [response.status, await response.text()];
    };
    expect(await post({ note: 'x' })).toEqual([200, expect.stringContaining('got')]);
    expect(await post(BOTH)).toEqual([403, expect.stringContaining('with kinds=secret* it is destructive')]);
    const document = await fetch(new URL('/openapi.json', server.url), { headers });
    expect(Object.keys(((await document.json()) as { paths: object }).paths)).toContain('/tools/get');
  });

  it('of an agent are those to calls, and those of an agent below are its own', async () => {
    const board = await open('{ approval: { global: none } }');
    const told = async (
      tools: NonNullable<Parameters<typeof defineAgent>[0]['tools']>,
      code = false,
    ): Promise<string[]> => {
      const inputs = [{}, SECRET];
      const calls = code
        ? inputs.map((input) => ({
            name: 'run_code',
            input: { code: `return await tools.get(${JSON.stringify(input)});` },
          }))
        : inputs.map((input) => ({ name: 'get', input }));
      const model = scriptedModel([{ calls }, 'done']);
      await runAgent(defineAgent({ name: 'a', model, tools, code }), 'go', { board });
      return (model.requests[1]?.results ?? []).map(({ text }) => text);
    };
    const refused = expect.stringContaining(
      'with kinds=secret* it is destructive, and this agent may not make such calls',
    );
    const got = expect.stringContaining('got');
    expect(await told([{ risk: 'read' }])).toEqual([got, refused]);
    expect(await told([{ risk: 'read' }], true)).toEqual([got, refused]);
    expect(await told([{ risk: 'read' }, 'g*t'])).toEqual([got, got]);
    expect(await told('all')).toEqual([got, got]);
    const below = scriptedModel([{ calls: [{ name: 'get', input: SECRET }] }, 'below']);
    const helper = defineAgent({ name: 'helper', description: 'Help', model: below, tools: ['get'] });
    const model = scriptedModel([{ calls: [{ name: 'helper', input: { task: 'go' } }] }, 'done']);
    await runAgent(defineAgent({ name: 'a', model, tools: [{ risk: 'read' }], agents: [helper] }), 'go', { board });
    expect(below.requests[1]?.results[0]?.text).toContain('SECRET/login');
  });
});
