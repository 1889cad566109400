// Clients that other people wrote send programs to `pegboard serve --mode code`, and ask their users.
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { AUTHORIZATION, placeBoard, startHttp, TOKEN } from '../mcp/serve-process.test-helper.ts';

const board = placeBoard('');
writeFileSync(
  board.file,
  `
serve: { mode: code }
policy: { approval: { global: none, tools: { send: true } } }
tools:
  - { name: note, type: cli, description: Note a line, command: [tee, -a, '${join(board.folder, 'notes.txt')}'], risk: write, args: [{ name: line, stdin: true, required: true }] }
  - { name: send, type: cli, description: Send a line, command: [tee, -a, '${join(board.folder, 'sent.txt')}'], risk: write, args: [{ name: line, stdin: true, required: true }] }
`,
);
let http: { child: ChildProcess; url: string };
beforeAll(async () => {
  http = await startHttp([board.file, '--token', TOKEN]);
});
afterAll(() => {
  http.child.kill('SIGKILL');
  board.remove();
});

const info = { name: 'test', version: '1.0.0' };
const requestInit = { requestInit: { headers: AUTHORIZATION } };
const asked: string[] = [];
beforeEach(() => void asked.splice(0));

interface Question {
  readonly params: { readonly message: string };
}

/** The user allows the second of two calls. */
function answer({ params }: Question): { action: 'accept'; content: Record<string, boolean | string> } {
  asked.push(params.message);
  return { action: 'accept', content: { call_1: false, call_2: true, reason: 'not this one' } };
}

function programOf(name: string): string {
  return `
    await tools.note({ line: '${name}\\n' });
    const sent = await Promise.all(['a', 'b'].map((part) => tools.send.try({ line: '${name} ' + part + '\\n' })));
    return sent.map((one) => (one.ok ? one.data : one.error.code));`;
}

function linesOf(file: string, name: string): string[] {
  const lines = readFileSync(join(board.folder, file), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(name));
}

function expectDone(name: string, result: unknown): void {
  expect(result).toMatchObject({ content: [{ text: `["permission_denied","${name} b\\n"]` }] });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain('2 calls');
  expect(linesOf('notes.txt', name)).toEqual([name]);
  expect(linesOf('sent.txt', name)).toEqual([`${name} b`]);
}

it('the v1 SDK, by a plain call and by a task', async () => {
  const client = new ClientV1(info, { capabilities: { tasks: {}, elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, (request) => answer(request as Question));
  await client.connect(new HttpV1(new URL(http.url), requestInit));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'run_code']);
  expectDone('plain', await client.callTool({ name: 'run_code', arguments: { code: programOf('plain') } }));
  asked.splice(0);
  const call = { name: 'run_code', arguments: { code: programOf('task') } };
  let result: unknown;
  for await (const message of client.experimental.tasks.callToolStream(call)) {
    expect(message).not.toHaveProperty('error');
    if (message.type === 'result') ({ result } = message);
  }
  expectDone('task', result);
});

it.each(['legacy', 'auto'] as const)('the v2 SDK, %s', async (mode) => {
  const client = new ClientV2(info, { capabilities: { elicitation: {} }, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', (request) => answer(request as Question));
  await client.connect(new HttpV2(new URL(http.url), requestInit));
  onTestFinished(() => client.close());
  expect(client.getDiscoverResult() === undefined).toBe(mode === 'legacy');
  expectDone(mode, await client.callTool({ name: 'run_code', arguments: { code: programOf(mode) } }));
});

it('says what run_code needs, and that only programs of the caller go on', async () => {
  const client = new ClientV1(info, { capabilities: {} });
  await client.connect(new HttpV1(new URL(http.url), requestInit));
  onTestFinished(() => client.close());
  const unknown = await client.callTool({ name: 'run_code', arguments: { resume: 'program_x' } });
  expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('There is no program') }] });
  const neither = await client.callTool({ name: 'run_code', arguments: {} });
  expect(neither).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('needs either code, or resume') }],
  });
});
