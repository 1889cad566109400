// MCP clients and commands: data, progress, and questions that no one answers.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../../src/platform/process/spawners.test-helper.ts';
import { placeBoard, startServe } from './serve-process.test-helper.ts';

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean();
});

const BOARD = `
tools:
  - { name: rows, type: cli, description: Prints rows, risk: read, command: [sh, -c, 'echo "N   WORD"; seq -f "%-3g word" 1 2000'], output: table, max_output: 3000 }
  - { name: none, type: cli, description: Prints nothing, risk: read, command: [sh, -c, 'exit 1'], output: lines, exit_codes: { 1: nothing } }
  - { name: steps, type: cli, description: Prints steps, risk: read, command: [sh, -c, 'echo one; echo "50% done"; echo "$SHIP_TOKEN"'], progress: lines, env: { SHIP_TOKEN: tok-123456789 } }
  - { name: flood, type: cli, description: Prints much, risk: read, command: [sh, -c, 'seq 1 3000000; touch flooded'], progress: lines }
  - { name: ask, type: cli, description: Asks, risk: read, command: [sh, -c, 'printf "Sink it? [y/N] "; read x || exit 1'] }
`;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly progress: number; readonly message: string };
  readonly result?: {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent?: Record<string, unknown>;
    readonly isError?: boolean;
    readonly tools?: readonly { readonly name: string; readonly outputSchema?: object }[];
  };
}

/** A client of a served board. */
function connect(): {
  readonly folder: string;
  readonly messages: Message[];
  ask(method: string, params?: object): Promise<NonNullable<Message['result']>>;
  send(method: string, params: object): void;
  pause(): void;
} {
  const { folder, file, remove } = placeBoard(BOARD);
  const child = startServe([file], { cwd: folder });
  cleanUp.push(remove, () => child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('No output.');
  const messages: Message[] = [];
  createInterface(child.stdout).on('line', (line) => void messages.push(JSON.parse(line)));
  let last = 0;
  const send = (method: string, params: object = {}): number => {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++last, method, params })}\n`);
    return last;
  };
  return {
    folder,
    messages,
    send,
    pause: () => child.stdout?.pause(),
    async ask(method, params) {
      const id = send(method, params);
      const { result } = await eventually(() => messages.find((message) => message.id === id));
      if (result === undefined) throw new Error('No result.');
      return result;
    },
  };
}

async function start(): Promise<ReturnType<typeof connect>> {
  const client = connect();
  await client.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  });
  return client;
}

it('gives data that fits its schema, also when it was cut or there is none', async () => {
  const client = await start();
  const { tools = [] } = await client.ask('tools/list');
  expect(tools.find(({ name }) => name === 'rows')?.outputSchema).toMatchObject({ required: ['rows'] });
  const rows = await client.ask('tools/call', { name: 'rows' });
  expect(rows.isError).toBeUndefined();
  expect(rows.structuredContent).toMatchObject({ truncated: true });
  const cells = rows.structuredContent?.['rows'] as { N: string; WORD: string }[];
  expect(cells.length).toBeGreaterThan(50);
  expect(cells.every(({ WORD }) => WORD === 'word')).toBe(true);
  // The text is what the command printed, and not the data again.
  expect(rows.content[0]?.text).toMatch(/^N {3}WORD\n1 {3}word\n/);
  const none = await client.ask('tools/call', { name: 'none' });
  expect(none).toEqual({
    content: [{ type: 'text', text: '[exit code 1: nothing]' }],
    structuredContent: { lines: [] },
  });
});

it('hears what a command prints while it runs, without secrets, and before its answer', async () => {
  const client = await start();
  await client.ask('tools/call', { name: 'steps', _meta: { progressToken: 'p' } });
  const told = client.messages.find(({ method }) => method === 'notifications/progress');
  expect(told?.params).toMatchObject({ progress: 1, message: 'one' });
  expect(JSON.stringify(client.messages)).not.toContain('tok-123456789');
  expect(client.messages.at(-1)?.result).toBeDefined();
});

it('does not hold up a command when it does not read', async () => {
  const client = await start();
  client.pause();
  client.send('tools/call', { name: 'flood', _meta: { progressToken: 'p' } });
  await eventually(() => existsSync(join(client.folder, 'flooded')));
});

it('gets the question of a command as the reason of its failure', async () => {
  const client = await start();
  const { isError, content } = await client.ask('tools/call', { name: 'ask' });
  expect(isError).toBe(true);
  expect(content[0]?.text).toContain('[It asked "Sink it? [y/N]" and got no answer');
});
