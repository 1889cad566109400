// Arguments with a risk of their own: the same tool runs unasked without them, and asks with them, whoever calls.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { type ApprovalRequest, type Board, openBoard, toMcpTools } from '../src/index.ts';
import { runCode } from '../src/code.ts';
import { CLI } from './cli-program.test-helper.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-argument-risks-')));
// The board's data must not lie in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
afterAll(() => rmSync(top, { recursive: true, force: true }));

const BRANCH = `
  - name: branch
    aliases: [br]
    type: cli
    description: List or delete branches
    command: echo branch
    risk: read
    args:
      - { name: names, type: array, positional: true, risk: write }
      - { name: all, type: boolean, flag: -a }
      - { name: delete, type: boolean, flag: -d, risk: destructive }
      - { name: expire, flag: --expire, risk: destructive }
      - { name: more, type: array, tail: true }
  - name: fetch
    type: cli
    description: Fetch things
    command: echo fetch
    risk: read
    args:
      - { name: kinds, type: array, positional: true, risk: { 'secret*': destructive, '*/secret*': destructive } }
      - { name: more, flag: --more, split: space, risk: { secret: destructive } }
      - { name: method, flag: -X, default: GET, risk: { GET: read, HEAD: read, '*': write, DELETE: destructive } }
      - { name: options, type: object, flag: -o, risk: { '*=unsafe': destructive, root: destructive } }
  - { name: look, type: cli, description: Look, command: echo look, risk: read }
`;

function write(name: string, head: string, tools = BRANCH): string {
  const file = join(folder, name);
  writeFileSync(file, `${head}\ntools:${tools}`);
  return file;
}

async function open(policy: string, asked: ApprovalRequest[] = []): Promise<Board> {
  const file = write('pegboard.yaml', `discovery: { tools: true }\npolicy: ${policy}`);
  const board = await openBoard({
    files: file,
    cwd: folder,
    data: join(top, 'data'),
    approve: (request) => {
      asked.push(request);
      return false;
    },
  });
  onTestFinished(() => board.close());
  return board;
}

it('asks about a call for what the call can do', async () => {
  const asked: ApprovalRequest[] = [];
  const board = await open('{}', asked);
  const riskAsked = async (input: Record<string, unknown>, name = 'branch'): Promise<string> => {
    const result = await board.call(name, input);
    return asked.pop()?.risk ?? (result.ok ? result.text.trim() : result.error.code);
  };
  expect(await riskAsked({})).toBe('branch');
  expect(await riskAsked({ all: true, delete: false, names: [] })).toBe('branch -a');
  expect(await riskAsked({ names: ['new'] })).toBe('write');
  expect(await riskAsked({ names: ['old'], delete: true })).toBe('destructive');
  // Under another name, through another tool: what runs is what is judged.
  expect(await riskAsked({ delete: true }, 'br')).toBe('destructive');
  expect(await riskAsked({ name: 'branch', arguments: { delete: true } }, 'call_tool')).toBe('destructive');
  expect(await riskAsked({ expire: '' })).toBe('destructive');
  // No value becomes a flag, and behind a tail a command may look for some.
  expect(await riskAsked({ names: ['-fd'] })).toMatch(/write|invalid_arguments/);
  expect(await riskAsked({ more: ['x', '-d'] })).toBe('destructive');
  const { verdict } = await board.dryRun('branch', { delete: true });
  expect(verdict).toEqual({ type: 'asks', message: 'a person must approve the call (risk: destructive with delete)' });
  expect((await board.dryRun('branch', { all: true })).verdict).toBeUndefined();
});

it('asks about a call for the values that it gives, however they are written', async () => {
  const asked: ApprovalRequest[] = [];
  const board = await open('{}', asked);
  const riskAsked = async (input: Record<string, unknown>, name = 'fetch'): Promise<string> => {
    const result = await board.call(name, input);
    return asked.pop()?.risk ?? (result.ok ? 'unasked' : result.error.code);
  };
  const risks = async (inputs: readonly Record<string, unknown>[]): Promise<string[]> =>
    Promise.all(inputs.map((input) => riskAsked(input)));
  expect(
    await risks([
      {},
      { kinds: ['pods', 'my-secret'] },
      { method: 'HEAD' },
      { options: { a: 'safe', b: 1 } },
      { kinds: [], options: {} },
    ]),
  ).toEqual(Array.from({ length: 5 }, () => 'unasked'));
  const destructive = [
    { kinds: ['secret'] },
    { kinds: ['pods', 'Secrets/login'] },
    { kinds: ['pods,SECRET'] },
    { kinds: ['v1/secrets'] },
    { more: 'pods secret' },
    { method: 'delete' },
    { method: 'GET,DELETE' },
    { options: { mode: 'unsafe' } },
    { options: { root: 'x' } },
  ];
  for (const input of destructive) expect([input, await riskAsked(input)]).toEqual([input, 'destructive']);
  // Only what is written as it stands in the table is as mild as that.
  expect([await riskAsked({ method: 'PUT' }), await riskAsked({ method: 'get' })]).toEqual(['write', 'write']);
  expect(await riskAsked({ method: 'GET ' })).toMatch(/write|invalid_arguments/);
  expect(await riskAsked({ name: 'fetch', arguments: { kinds: ['secret'] } }, 'call_tool')).toBe('destructive');
  const { ok } = await runCode(board, "return await tools.fetch({ kinds: ['pods,secrets'] });");
  expect([ok, asked.pop()?.risk]).toEqual([false, 'destructive']);
  const { verdict } = await board.dryRun('fetch', { kinds: ['secrets'] });
  expect(verdict).toEqual({
    type: 'asks',
    message: 'a person must approve the call (risk: destructive with kinds=secret*)',
  });
  expect((await board.dryRun('fetch', { kinds: ['pods'] })).verdict).toBeUndefined();
  const { text } = await board.call('describe_tool', { names: ['fetch'] });
  expect(text).toContain(
    'risk: read to destructive: write with method=*; destructive with kinds=secret*|*/secret*, more=secret, method=DELETE, options=*=unsafe|root',
  );
});

it.for(['session', 'tool'] as const)('takes a yes to a mild call for a %s as none to a worse one', async (scope) => {
  const file = write(`${scope}.yaml`, 'policy: { approval: { headless: wait } }');
  const board = await openBoard({ files: file, cwd: folder, data: join(top, scope) });
  onTestFinished(() => board.close());
  const next = () => vi.waitUntil(async () => (await board.approvals.list())[0], { timeout: 20_000 });
  const mild = board.call('branch', { names: ['new'] });
  const { id, risk } = await next();
  expect(risk).toBe('write');
  await board.approvals.answer(id, { allow: true, scope });
  expect((await mild).text.trim()).toBe('branch new');
  expect((await board.call('branch', { names: ['other'] })).text.trim()).toBe('branch other');
  const worse = board.call('branch', { names: ['other'], delete: true });
  const question = await next();
  expect(question.risk).toBe('destructive');
  // The yes to the worse one is one to all.
  await board.approvals.answer(question.id, { allow: true, scope });
  expect((await worse).text.trim()).toBe('branch other -d');
  expect((await board.call('branch', { delete: true })).text.trim()).toBe('branch -d');
  const text = readFileSync(file, 'utf8');
  if (scope === 'tool') {
    const line = (risk: string): string => `    - \\{tool: branch, risk: ${risk}, definition: sha256-[\\w-]{43}\\}\\n`;
    expect(text).toMatch(new RegExp(`approved:\\n${line('write')}${line('destructive')}`));
  }
});

it('tells clients and readers the worst', async () => {
  const board = await open('{}');
  const tool = board.registry.get('branch');
  if (tool === undefined) throw new Error('No tool.');
  expect(toMcpTools([tool]).tools[0]?.annotations).toEqual({ readOnlyHint: false, destructiveHint: true });
  const { text } = await board.call('describe_tool', { names: ['branch'] });
  expect(text).toContain('risk: read to destructive: write with names; destructive with delete, expire, more');
  expect(board.index.search({ risk: 'read' }).map(({ name }) => name)).toEqual(['look']);
});

it('refuses the call of an MCP client that no one can be asked about, and lets the other run', async () => {
  const file = write('served.yaml', 'policy: {}');
  const child = spawn(process.execPath, [CLI, 'serve', file], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value } = await lines.next();
      const message = JSON.parse(String(value)) as { id?: number; result?: unknown };
      if (message.id === id) return message.result;
    }
  };
  const clientInfo = { name: 'test', version: '1' };
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  expect(await ask(2, 'tools/call', { name: 'branch', arguments: { all: true } })).toMatchObject({
    content: [{ type: 'text', text: expect.stringContaining('branch -a') }],
  });
  expect(await ask(3, 'tools/call', { name: 'branch', arguments: { delete: true } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('(risk: destructive with delete)') }],
  });
  child.stdin.end();
  await once(child, 'exit');
});

it('wants the risk of the tool where every call has that of an argument', async () => {
  const tools = (keys: string, risk: string): string =>
    `\n  - { name: t, type: cli, description: T, command: echo, risk: read, args: [{ name: a, ${keys}, risk: ${risk} }] }\n`;
  const opened = async (keys: string, risk = 'write'): Promise<unknown> => {
    const board = await openBoard({
      files: write('fault.yaml', '', tools(keys, risk)),
      cwd: folder,
      data: join(top, 'fault'),
    });
    return board.close();
  };
  await expect(opened('default: x')).rejects.toThrow('"a" has a default, so every call has this risk');
  await expect(opened('type: boolean, negated: --no-a')).rejects.toThrow('--no-a, which means false');
  await expect(opened('type: boolean, default: false')).resolves.toBeUndefined();
  const table = '{ GET: read, "*": write }';
  await expect(opened('default: PUT', table)).rejects.toThrow('"a" has a default, so every call has this risk');
  await expect(opened('default: GET', table)).resolves.toBeUndefined();
  await expect(opened('type: string', '{ GET: harmless }')).rejects.toThrow('risk');
});
