// Programs of MCP clients: what these see, whom they may ask, and that a request which comes again does nothing twice.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createApprover } from '../../src/features/serving/commands/serve/create-approver.ts';
import { type Board, defineTool, openBoard } from '../../src/index.ts';
import { McpServer } from '../../src/mcp/server/mcp-server.ts';
import { resultOf, TestClient } from '../../src/mcp/server/test-client.test-helper.ts';
import { reachIn } from '../../src/tool/calls/ask.ts';
import { estimateTokens } from '../../src/discovery/tokens/estimate-tokens.ts';

const ASKS = { elicitation: {} };
const open: Board[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const board of open.splice(0)) await board.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-served-programs-'));
  folders.push(folder);
  return folder;
}

/** Asks the person which one they mean, as tools of other servers do. */
const WHICH = defineTool({
  name: 'which',
  description: 'Asks which one.',
  risk: 'write',
  schema: { type: 'object' },
  async execute(_, context) {
    const { signal, approval } = context;
    const question = { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: {} } } as const;
    const call = { tool: 'which', source: 'test', signal, key: approval?.key };
    const answer = await reachIn(context).person?.elicit(question, call);
    return String(answer?.content?.['name']);
  },
});

interface Served {
  readonly server: McpServer;
  readonly board: Board;
}

/** A board whose `note` needs no yes and whose `send` does; what they did is in `done`. */
async function serve(done: string[], { folder = makeFolder(), policy = {} } = {}): Promise<Served> {
  const make = (name: string, risk: 'read' | 'write' | 'destructive'): ReturnType<typeof defineTool> =>
    defineTool({
      name,
      description: `Does ${name}.`,
      risk,
      schema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      execute({ to }) {
        done.push(`${name} ${to}`);
        return { sent: to };
      },
    });
  const approve = createApprover({ wanted: () => ['client'], inbox: undefined, terminal: undefined });
  const board = await openBoard({
    data: join(folder, 'data'),
    policy: { approval: { global: 'none', tools: { send: true } }, ...policy },
    tools: [make('look', 'read'), make('note', 'write'), make('send', 'write'), WHICH],
    approve,
  });
  open.push(board);
  return { server: new McpServer(board, { mode: 'code' }), board };
}

function textOf(result: Record<string, unknown>): string {
  const [first] = result['content'] as { readonly text: string }[];
  return first?.text ?? '';
}

function runCode(code: string): { readonly name: string; readonly arguments: Record<string, unknown> } {
  return { name: 'run_code', arguments: { code } };
}

const MANY = `
await tools.note({ to: 'first' });
const sent = await Promise.all(['a', 'b', 'c'].map((to) => tools.send.try({ to })));
return sent.map((one) => (one.ok ? one.data.sent : one.error.code));`;

describe('code mode over MCP', () => {
  it('lists two tools for at most 600 tokens, and runs programs', async () => {
    const { server } = await serve([]);
    const client = new TestClient(server);
    await client.initialize();
    const { tools } = (await client.result('tools/list')) as { readonly tools: { readonly name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'run_code']);
    expect(estimateTokens(JSON.stringify(tools))).toBeLessThan(600);
    const result = await client.result('tools/call', runCode(`return (await tools.look({ to: 'x' })).sent + '!'`));
    expect(textOf(result)).toBe('x!');
    const faults = await client.result('tools/call', runCode(`await tools.loook({});\nreturn fetch('x');`));
    expect(faults['isError']).toBe(true);
    expect(textOf(faults)).toMatch(/1:\d+.*loook[^]*look[^]*2:\d+.*fetch/);
  });

  it('lets a caller with fewer rights reach no more from programs', async () => {
    const done: string[] = [];
    const { server } = await serve(done);
    const access = { key: 'look', allows: ({ metadata }: { metadata: { name: string } }) => metadata.name === 'look' };
    const client = new TestClient(server, { id: 'guest', access });
    await client.initialize();
    const result = await client.result('tools/call', runCode(`return await tools['no' + 'te']({ to: 'x' });`));
    expect(textOf(result)).toMatch(/There is no tool "note"/);
    expect(textOf(await client.result('tools/call', runCode(`return (await search('note')).length`)))).toBe('0');
    expect(done).toEqual([]);
  });

  it('asks one question about all calls, whose answers may differ', async () => {
    const done: string[] = [];
    const { server } = await serve(done);
    const client = new TestClient(server);
    await client.initialize(ASKS);
    const asked: Record<string, unknown>[] = [];
    client.onMessage = ({ id, params }) => {
      asked.push(params as Record<string, unknown>);
      const content = { call_1: true, call_2: false, call_3: true, reason: 'not b' };
      void client.send({ jsonrpc: '2.0', id, result: { action: 'accept', content } });
    };
    expect(textOf(await client.result('tools/call', runCode(MANY)))).toBe('["a","permission_denied","c"]');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.['message']).toMatch(/3 calls[^]*1\. Allow send[^]*"a"[^]*2\. [^]*"b"[^]*3\. [^]*"c"/);
    expect(done).toEqual(['note first', 'send a', 'send c']);
  });

  it('goes on with the program when the request comes again with the answer, and does nothing twice', async () => {
    const done: string[] = [];
    const folder = makeFolder();
    const [one, two] = [await serve(done, { folder }), await serve(done, { folder })].map(
      ({ server }) => new TestClient(server),
    ) as [TestClient, TestClient];
    const call = runCode(`
      await tools.note({ to: 'first' });
      await tools.send({ to: 'a' });
      await tools.note({ to: 'second' });
      await tools.send({ to: 'a' });
      return 'done';`);
    const asked = resultOf(await one.modern('tools/call', call, ASKS));
    expect(asked).toMatchObject({ resultType: 'input_required' });
    expect(done).toEqual(['note first']);
    const answer = (round: Record<string, unknown>, approve: boolean): Record<string, unknown> => ({
      ...call,
      requestState: round['requestState'],
      inputResponses: Object.fromEntries(
        Object.keys(round['inputRequests'] ?? {}).map((key) => [key, { action: 'accept', content: { approve } }]),
      ),
    });
    // At another server of the board, three times at once: one of them goes on.
    const tries = await Promise.all(
      [two, one, two].map((client) => client.modern('tools/call', answer(asked, true), ASKS)),
    );
    const second = tries.find((each) => JSON.stringify(each).includes('input_required'));
    expect(done).toEqual(['note first', 'send a', 'note second']);
    // The yes to the first call is none to the second, which is the same otherwise.
    const round = resultOf(second);
    expect(Object.keys(round['inputRequests'] ?? {})).not.toEqual(Object.keys(asked['inputRequests'] ?? {}));
    const last = resultOf(await one.modern('tools/call', answer(round, false), ASKS));
    expect(last['isError']).toBe(true);
    expect(textOf(last)).toMatch(/The user was asked about this call of "send" and said no/);
    expect(done).toEqual(['note first', 'send a', 'note second']);
  });

  it('goes on when a tool asks a stateless client something, each question with its own answer', async () => {
    const done: string[] = [];
    const client = new TestClient((await serve(done)).server);
    const call = runCode(`
      await tools.note({ to: 'first' });
      const one = await tools.which({});
      await tools.note({ to: one });
      return [one, await tools.which({})];`);
    let round = resultOf(await client.modern('tools/call', call, ASKS));
    for (const name of ['ada', 'bob']) {
      const [key = ''] = Object.keys(round['inputRequests'] ?? {});
      const inputResponses = { [key]: { action: 'accept', content: { name } } };
      const again = { ...call, inputResponses, requestState: round['requestState'] };
      round = resultOf(await client.modern('tools/call', again, ASKS));
    }
    expect(textOf(round)).toBe('["ada","bob"]');
    expect(done).toEqual(['note first', 'note ada']);
  });

  it('asks a stateless client about nothing in a program that nothing keeps', async () => {
    const done: string[] = [];
    const { board } = await serve(done);
    const bare = new McpServer({ registry: board.registry, index: board.index }, { mode: 'code' });
    const result = resultOf(await new TestClient(bare).modern('tools/call', runCode(MANY), ASKS));
    expect(textOf(result)).toMatch(/approval_required/);
    expect(done).toEqual(['note first']);
  });

  it('refuses calls about which no one can be asked, and goes on with the rest', async () => {
    const done: string[] = [];
    const { server, board } = await serve(done);
    const client = new TestClient(server);
    await client.initialize();
    const codes = '["approval_required","approval_required","approval_required"]';
    expect(textOf(await client.result('tools/call', runCode(MANY)))).toBe(codes);
    expect(done).toEqual(['note first']);
    expect(await board.approvals.list()).toEqual([]);
  });

  it('is bound by a policy that forbids programs, or asks about them', async () => {
    const done: string[] = [];
    const denied = await serve(done, { policy: { deny: ['run_code'] } });
    const client = new TestClient(denied.server);
    await client.initialize();
    expect(textOf(await client.result('tools/call', runCode('return 1')))).toMatch(/policy does not allow "run_code"/);
    const asks = await serve(done, { policy: { approval: { global: 'none', tools: { run_code: true } } } });
    const person = new TestClient(asks.server);
    await person.initialize(ASKS);
    person.onMessage = ({ id, params }) => {
      expect((params as Record<string, unknown>)['message']).toMatch(/run_code[^]*return 1/);
      void person.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { approve: true } } });
    };
    expect(textOf(await person.result('tools/call', runCode('return 1')))).toBe('1');
  });
});
