// Programs that became tools: saved at the terminal, found, called, bound by their entry and their caller, and able to wait.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTestContext } from '../../src/cli/shared/cli-context.test-helper.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { createApprover } from '../../src/features/serving/commands/serve/create-approver.ts';
import { listPrograms, resumeCode, runCode } from '../../src/code.ts';
import { type Board, openBoard, type OpenBoardOptions } from '../../src/index.ts';
import { McpServer } from '../../src/mcp/server/mcp-server.ts';
import { TestClient } from '../../src/mcp/server/test-client.test-helper.ts';

const BOARD = `policy: { approval: { global: none, tools: { send: true } } }
discovery: { tools: code }
record: { tools: { run_code: full } }
tools:
  - { name: list, type: cli, description: List what is open, command: [echo, 'a b'], risk: read }
  - { name: send, type: cli, description: Send a line, command: [tee, -a, sent.txt], risk: write, args: [{ name: line, stdin: true, required: true }] }
  - { name: wipe, type: cli, description: Wipe all, command: [rm, -f, sent.txt], risk: destructive }
`;
const PROGRAM = `const names: string[] = (await tools.list({})).trim().split(' ');
const sent = await Promise.all(names.map((name) => tools.send.try({ line: (input.greeting as string) + ' ' + name + '\\n' })));
return { loud: input.loud ?? false, sent: sent.map((one) => (one.ok ? one.data.trim() : one.error.code)) };
`;

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-saved-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'pegboard.yaml'), BOARD);
  writeFileSync(join(folder, 'mails.ts'), PROGRAM);
  return folder;
}

async function open(folder: string, options: OpenBoardOptions = {}): Promise<Board> {
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, ...options });
  onTestFinished(() => board.close());
  return board;
}

async function run(cwd: string, ...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const context = createTestContext({
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] },
  });
  const code = await runCli(args, context);
  return { code, ...context.printed() };
}

const sentIn = (folder: string): string[] => readFileSync(join(folder, 'sent.txt'), 'utf8').split('\n').slice(0, -1);
const DESCRIPTION = 'Greet all that is open';
const SAVE = ['-d', DESCRIPTION, '--input', '{"greeting":"hi"}', '--yes'];

it('saves a file that worked, with its inputs, tools and risk; the tool is found and called, its calls below it', async () => {
  const folder = makeFolder();
  const saved = await run(folder, 'code', 'save', 'mails.ts', 'greet_all', ...SAVE);
  expect(saved).toMatchObject({ code: 0, stderr: '' });
  expect(saved.stdout).toBe(
    'On pegboard.yaml: the tool greet_all (write). Wrote programs/greet_all.ts. Next: pegboard show greet_all\n',
  );
  expect(readFileSync(join(folder, 'programs/greet_all.ts'), 'utf8')).toBe(PROGRAM);
  expect(readFileSync(join(folder, 'pegboard.yaml'), 'utf8')).toMatch(
    /^policy: [^]*type: program[^]*tools:\n +- list\n +- send/m,
  );
  const board = await open(folder, { approve: () => true });
  const tool = board.registry.get('greet_all');
  expect(tool?.metadata).toMatchObject({ risk: 'write', description: DESCRIPTION, kind: 'program' });
  expect(tool?.inputSchema).toMatchObject({
    properties: { greeting: { type: 'string' }, loud: {} },
    required: ['greeting'],
    additionalProperties: false,
  });
  expect(board.search('greet what is open')[0]?.metadata.name).toBe('greet_all');
  const result = await board.call('greet_all', { greeting: 'hello', loud: true });
  expect(result).toMatchObject({ ok: true, data: { loud: true, sent: ['hello a', 'hello b'] } });
  expect(await board.call('greet_all', {})).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  const [top] = await board.calls.list({ tool: 'greet_all', outcome: 'ok' });
  const below = await board.calls.list({ parent: top?.id ?? '', outcome: 'ok' });
  expect(below.map((call) => call.tool).toSorted()).toEqual(['list', 'send', 'send']);
  expect(await run(folder, 'code', 'save', 'mails.ts', 'greet_all', ...SAVE)).toMatchObject({ code: 2 });
});

it('saves what the board keeps and what its record has, and nothing that did not work', async () => {
  const folder = makeFolder();
  const board = await open(folder, { approve: () => true });
  await runCode(board, 'return (await tools.list({})).length', { id: 'kept' });
  await runCode(board, 'throw new Error("no")', { id: 'failed' });
  const { ok } = await board.call('run_code', {
    code: `const key = 'wi' + 'pe'; await tools[key]({}); return input.x`,
    input: { x: [1] },
  });
  expect(ok).toBe(true);
  const [recorded] = await board.calls.list({ tool: 'run_code', outcome: 'ok', limit: 1 });
  const kept = await run(folder, 'code', 'save', 'kept', 'count', '-d', 'Count', '--dry-run', '--json');
  expect(JSON.parse(kept.stdout)).toMatchObject({
    entry: { risk: 'read', tools: ['list'], schema: { properties: {} } },
  });
  const wiped = await run(folder, 'code', 'save', recorded?.id ?? '', 'wipe_it', '-d', 'Wipe');
  expect(wiped.stderr).toBe('');
  expect(wiped.stdout).toContain('the tool wipe_it (destructive)');
  const cases = [
    [['failed', 'x', '-d', 'X'], 'The program "failed" failed. Only a program that worked can be saved'],
    [['nothing', 'x', '-d', 'X'], 'There is no program "nothing"'],
    [['kept', 'x'], 'Describe the tool'],
    [['kept', 'a b', '-d', 'X'], '"a b" is not a valid tool name'],
    [['mails.ts', 'x', '-d', 'X', '--input', '["a"]', '--yes'], 'The arguments of a tool have names'],
  ] as const;
  for (const [args, message] of cases) expect((await run(folder, 'code', 'save', ...args)).stderr).toContain(message);
});

it('calls what its entry names and its caller may call, and nothing else', async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'programs'));
  writeFileSync(
    join(folder, 'programs/other.ts'),
    `return tools[input.name].try({}).then(({ ok, error }) => ok || error.message);`,
  );
  writeFileSync(join(folder, 'programs/loop.ts'), `return tools.loop({});`);
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `${BOARD}  - { name: other, type: program, description: Call one, risk: write, file: programs/other.ts, tools: [list], schema: { properties: { name: { type: string } } } }
  - { name: loop, type: program, description: Call itself, file: programs/loop.ts }
`,
  );
  const board = await open(folder, { approve: () => true });
  expect(await board.call('other', { name: 'list' })).toMatchObject({ ok: true, data: true });
  for (const name of ['wipe', 'send', 'run_code', 'other', '__proto__'])
    expect((await board.call('other', { name })).text).toMatch(/There is no tool|cannot be called/);
  expect((await board.call('loop', {})).text).toMatch(/saved programs may be nested 5 deep at most/);
  const access = { key: 'some', allows: ({ metadata }: { metadata: { name: string } }) => metadata.name !== 'list' };
  const guest = new TestClient(new McpServer(board, { mode: 'classic' }), { id: 'guest', access });
  await guest.initialize();
  const call = { name: 'other', arguments: { name: 'list' } };
  expect(JSON.stringify(await guest.result('tools/call', call))).toMatch(/There is no tool \\\\?"list/);
  const code = { name: 'run_code', arguments: { code: `return tools.other({ name: 'list' })` } };
  const coder = new TestClient(new McpServer(board, { mode: 'code' }), { id: 'guest', access });
  await coder.initialize();
  expect(JSON.stringify(await coder.result('tools/call', code))).toMatch(/There is no tool \\\\?"list/);
});

it('asks an MCP client once about all that waits, of a program and of those that it calls', async () => {
  const folder = makeFolder();
  await run(folder, 'code', 'save', 'mails.ts', 'greet_all', ...SAVE);
  const approve = createApprover({ wanted: () => ['client'], inbox: undefined, terminal: undefined });
  const board = await open(folder, { approve });
  const client = new TestClient(new McpServer(board, { mode: 'code' }));
  await client.initialize({ elicitation: {} });
  const asked: string[] = [];
  client.onMessage = ({ id, params }) => {
    asked.push(String((params as Record<string, unknown>)['message']));
    const content = { call_1: true, call_2: false, call_3: true };
    void client.send({ jsonrpc: '2.0', id, result: { action: 'accept', content } });
  };
  const direct = await client.result('tools/call', { name: 'greet_all', arguments: { greeting: 'one' } });
  expect(JSON.stringify(direct)).toMatch(/one a.*permission_denied/);
  const code = `const [all, own] = await Promise.all([tools.greet_all({ greeting: 'two' }), tools.send.try({ line: 'own\\n' })]);
return [...all.sent, own.ok];`;
  const nested = await client.result('tools/call', { name: 'run_code', arguments: { code } });
  expect(JSON.stringify(nested)).toContain(String.raw`[\"two a\",\"permission_denied\",true]`);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toMatch(/3 calls[^]*two a[^]*two b[^]*own/);
  expect(sentIn(folder).toSorted()).toEqual(['hi a', 'hi b', 'one a', 'own', 'two a']);
});

it('waits in the store, inside of another program too, and goes on at another board of it', async () => {
  const folder = makeFolder();
  await run(folder, 'code', 'save', 'mails.ts', 'greet_all', ...SAVE);
  const first = await open(folder);
  const waiting = await runCode(first, `const { sent } = await tools.greet_all({ greeting: 'yo' }); return sent`, {
    pause: true,
  });
  expect(waiting.waiting).toMatchObject([{ tool: 'greet_all' }]);
  expect((await listPrograms(first)).map(({ status }) => status)).toEqual(['waiting', 'waiting', 'ended']);
  await first.close();
  const second = await open(folder);
  for (const { id } of await second.approvals.list()) await second.approvals.answer(id, { allow: true });
  const done = await resumeCode(second, waiting.id, { pause: true });
  expect(done).toMatchObject({ ok: true, value: ['yo a', 'yo b'] });
  expect(sentIn(folder).toSorted()).toEqual(['hi a', 'hi b', 'yo a', 'yo b']);
});
