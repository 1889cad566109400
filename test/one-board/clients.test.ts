// Clients of other people, at a board of the machine.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { CLI } from '../cli-program.test-helper.ts';
import { createMachine, kill, type Machine, SAY } from './machine.test-helper.ts';

const info = { name: 'test', version: '1.0.0' };
const YES = { action: 'accept', content: { approve: true } } as const;
const SINK = {
  name: 'sink',
  type: 'cli',
  description: 'Sink a ship',
  command: 'echo sunk',
  risk: 'destructive',
  args: SAY.args,
};

/** The part of every client that the tests use. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

function commandOf(machine: Machine): { command: string; args: string[]; env: Record<string, string>; cwd: string } {
  // The values are texts; empty ones are left out.
  const env = Object.fromEntries(
    Object.entries(machine.env).filter(([, value]) => value !== undefined && value !== ''),
  ) as Record<string, string>;
  return { command: process.execPath, args: [CLI, 'serve'], env, cwd: machine.folder };
}

async function openV1(machine: Machine): Promise<AnyClient> {
  const client = new ClientV1(info, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => YES);
  await client.connect(new StdioV1(commandOf(machine)));
  return client;
}

async function openV2(machine: Machine, mode: 'legacy' | 'auto'): Promise<AnyClient> {
  const client = new ClientV2(info, { capabilities: { elicitation: {} }, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => YES);
  await client.connect(new StdioV2(commandOf(machine)));
  expect(client.getDiscoverResult() === undefined).toBe(mode === 'legacy');
  return client;
}

const CLIENTS: readonly (readonly [string, (machine: Machine) => Promise<AnyClient>])[] = [
  ['the v1 SDK', openV1],
  ['the v2 SDK with a handshake', (machine) => openV2(machine, 'legacy')],
  ['the v2 SDK, stateless', (machine) => openV2(machine, 'auto')],
];

describe.for(CLIENTS)('%s', ([, open]) => {
  it('shares a board, asks its own user, and goes on when the board is killed', async () => {
    const machine = createMachine({
      serve: { mode: 'classic' },
      tools: [SAY, SINK],
      policy: { approval: { global: 'destructive' } },
    });
    const clients = await Promise.all([open(machine), open(machine), open(machine)]);
    const say = (client: AnyClient, text: string): Promise<unknown> =>
      client.callTool({ name: 'say', arguments: { text } });
    for (const client of clients) {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['say', 'sink']));
      expect(await say(client, 'hello')).toMatchObject({ content: [{ text: 'hello\n' }] });
      expect(await client.callTool({ name: 'sink', arguments: { text: 'Ada' } })).toMatchObject({
        content: [{ text: 'sunk Ada\n' }],
      });
    }
    const { pid } = machine.board();
    kill(pid);
    expect(await Promise.all(clients.map((client, at) => say(client, `again ${at}`)))).toMatchObject(
      clients.map((_, at) => ({ content: [{ text: `again ${at}\n` }] })),
    );
    expect(machine.board().pid).not.toBe(pid);
    await Promise.all(clients.map((client) => client.close()));
    await machine.end();
  });
});

it('the inspector on the command line uses the board that is running', async () => {
  const machine = createMachine();
  const front = await machine.open();
  const { pid } = machine.board();
  const inspector = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
  const launcher = join(dirname(inspector), 'clients/launcher/build/index.js');
  const { command, args, env, cwd } = commandOf(machine);
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const call = ['--method', 'tools/call', '--tool-name', 'say', '--tool-arg', 'text=Ada'];
  const words = [launcher, '--cli', ...variables, command, ...args, ...call];
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    cwd,
    env: { ...process.env, HOME: env['HOME'] },
  });
  expect(JSON.parse(stdout)).toMatchObject({ content: [{ text: 'Ada\n' }] });
  expect(machine.board().pid).toBe(pid);
  await front.close();
  await machine.end();
});
