// Clients that other people wrote, against `pegboard serve`.
import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ALONE, CLI } from '../cli-program.test-helper.ts';
import { AUTHORIZATION, placeBoard, startHttp, TOKEN } from './serve-process.test-helper.ts';

const board = placeBoard();
let http: { child: ChildProcess; url: string };
beforeAll(async () => {
  http = await startHttp([board.file, '--token', TOKEN]);
});
afterAll(() => {
  http.child.kill('SIGKILL');
  board.remove();
});

const info = { name: 'test', version: '1.0.0' };
const command = { command: process.execPath, args: [CLI, 'serve', board.file], env: ALONE };
const requestInit = { requestInit: { headers: AUTHORIZATION } };
const YES = { action: 'accept', content: { approve: true } } as const;

/** The part of every client that the tests use. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

async function openV1(transport: 'stdio' | 'http'): Promise<AnyClient> {
  const client = new ClientV1(info, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => YES);
  await client.connect(transport === 'stdio' ? new StdioV1(command) : new HttpV1(new URL(http.url), requestInit));
  return client;
}

async function openV2(transport: 'stdio' | 'http', mode: 'legacy' | 'auto'): Promise<AnyClient> {
  const client = new ClientV2(info, { capabilities: { elicitation: {} }, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => YES);
  await client.connect(transport === 'stdio' ? new StdioV2(command) : new HttpV2(new URL(http.url), requestInit));
  expect(client.getDiscoverResult() === undefined).toBe(mode === 'legacy');
  return client;
}

const CLIENTS: readonly (readonly [string, () => Promise<AnyClient>])[] = [
  ['the v1 SDK over stdio', () => openV1('stdio')],
  ['the v1 SDK over HTTP', () => openV1('http')],
  ['the v2 SDK over stdio with a handshake', () => openV2('stdio', 'legacy')],
  ['the v2 SDK over HTTP with a handshake', () => openV2('http', 'legacy')],
  ['the v2 SDK over stdio, stateless', () => openV2('stdio', 'auto')],
  ['the v2 SDK over HTTP, stateless', () => openV2('http', 'auto')],
];

describe.for(CLIENTS)('%s', ([, open]) => {
  it('lists, calls, is told about mistakes, and asks its user', async () => {
    const client = await open();
    try {
      expect(client.getInstructions()).toBe('Ask before you move ships.');
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).slice(0, 3)).toEqual(['hail', 'slow', 'sink']);
      expect(await client.callTool({ name: 'hail', arguments: { ship: 'Ada' } })).toMatchObject({
        content: [{ type: 'text', text: 'ahoy Ada\n' }],
      });
      expect(await client.callTool({ name: 'hail' })).toMatchObject({ isError: true });
      expect(await client.callTool({ name: 'hale', arguments: {} })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('Did you mean: hail?') }],
      });
      expect(await client.callTool({ name: 'sink', arguments: { ship: 'Ada' } })).toMatchObject({
        content: [{ text: 'sunk Ada\n' }],
      });
    } finally {
      await client.close();
    }
  });
});

describe('a client that starts a process for each request', () => {
  it('reads the rest of a long output in another process than the one that made it', async () => {
    const long = placeBoard('tools: [{ name: count, type: cli, description: Count, command: seq 20000, risk: read }]');
    onTestFinished(long.remove);
    const call = async (name: string, args = {}): Promise<string> => {
      const client = new ClientV2(info);
      await client.connect(new StdioV2({ command: process.execPath, args: [CLI, 'serve', long.file], env: ALONE }));
      const { content } = await client.callTool({ name, arguments: args });
      await client.close();
      return JSON.stringify(content);
    };
    const [, id] = /id \\"([\w-]+)\\"/.exec(await call('count')) ?? [];
    expect(await call('output_read', { id, offset: 9_999, lines: 1 })).toContain('10000');
  });
});

describe('the inspector on the command line', () => {
  const inspect = async (...args: string[]): Promise<unknown> => {
    const require = createRequire(import.meta.url);
    const folder = dirname(require.resolve('@modelcontextprotocol/inspector/package.json'));
    const launcher = join(folder, 'clients/launcher/build/index.js');
    // Outside of the board's folder: of this process's variables the inspector passes no other, and the data of the board would be there.
    const home = mkdtempSync(join(tmpdir(), 'pegboard-home-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const env = { ...process.env, HOME: home };
    const { stdout } = await promisify(execFile)(process.execPath, [launcher, '--cli', ...args], { env });
    return JSON.parse(stdout);
  };

  it('reads the board over stdio', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'hail', '--tool-arg', 'ship=Ada'];
    expect(await inspect('-e', 'PEGBOARD_STANDALONE=1', command.command, ...command.args, ...call)).toMatchObject({
      content: [{ text: 'ahoy Ada\n' }],
    });
  });

  it('reads the board over HTTP', async () => {
    expect(
      await inspect(http.url, '--header', `Authorization: Bearer ${TOKEN}`, '--method', 'tools/list'),
    ).toMatchObject({
      tools: [{ name: 'hail' }, {}, {}, {}, {}],
    });
  });
});
