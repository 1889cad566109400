// Answers to a client that starts "pegboard serve" and asks once.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { CLI } from './cli-program.test-helper.ts';
import { boardFolder, ECHO, fixture } from './upstream-boards.test-helper.ts';

interface Served {
  /** Sends a request and gives what answers it: a result or an error. */
  ask(method: string, params?: object): Promise<Record<string, unknown>>;
}

/** Starts `pegboard serve` in a folder, as a client over stdio does. */
function serve(folder: string, ...options: readonly string[]): Served {
  const child = spawn(process.execPath, [CLI, 'serve', ...options], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => void child.once('close', resolve));
    child.kill();
    await ended;
  });
  const waiting = new Map<unknown, (message: Record<string, unknown>) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Record<string, unknown>;
    waiting.get(message['id'])?.(message);
  });
  let id = 0;
  return {
    ask(method, params = {}) {
      const answered = new Promise<Record<string, unknown>>((resolve) => void waiting.set(++id, resolve));
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return answered;
    },
  };
}

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

function namesIn(answer: Record<string, unknown>): string[] {
  const { tools } = answer['result'] as { tools: { name: string }[] };
  return tools.map(({ name }) => name);
}

it('waits for servers that are still starting before it lists tools for the first time', async () => {
  const folder = boardFolder({});
  const odd = { ...fixture('odd-server.ts', '--late', join(folder, 'gate')), protocol: '2025-11-25' };
  const config = { tools: [ECHO], mcpServers: { odd }, serve: { mode: 'classic', first_list: '1h' } };
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(config));
  const client = serve(folder);
  await client.ask('initialize', HELLO);
  const listed = client.ask('tools/list');
  // Requests are answered meanwhile, and the server starts only now.
  await client.ask('ping');
  writeFileSync(join(folder, 'gate'), '');
  expect(namesIn(await listed)).toEqual(expect.arrayContaining(['echo', 'odd__echo']));
});

it('lists what is there where it is told not to wait', async () => {
  const folder = boardFolder({});
  const odd = { ...fixture('odd-server.ts', '--late', join(folder, 'gate')), protocol: '2025-11-25' };
  const config = { tools: [ECHO], mcpServers: { odd }, serve: { mode: 'classic', first_list: 0 } };
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(config));
  const client = serve(folder);
  await client.ask('initialize', HELLO);
  const names = namesIn(await client.ask('tools/list'));
  expect([names.includes('echo'), names.includes('odd__echo')]).toEqual([true, false]);
});

it('offers neither board_tools nor resources of tools where the file says so', async () => {
  const folder = boardFolder({ tools: [ECHO], serve: { describe_tools: false } });
  const client = serve(folder);
  await client.ask('initialize', HELLO);
  expect((await client.ask('prompts/list'))['result']).toMatchObject({ prompts: [] });
  expect((await client.ask('resources/list'))['result']).toMatchObject({ resources: [] });
  expect(JSON.stringify(await client.ask('resources/templates/list'))).not.toContain('pegboard://tools');
  expect(await client.ask('resources/read', { uri: 'pegboard://tools/echo' })).toHaveProperty('error');
  expect((await client.ask('prompts/get', { name: 'board_tools' }))['error']).toMatchObject({
    message: 'There is no prompt "board_tools". The board has no prompts for you.',
  });
});

it('tells a client over stdio what to do where only the file says HTTP', async () => {
  const folder = boardFolder({ tools: [ECHO], serve: { http: true, port: 0 } });
  expect(await serve(folder).ask('initialize', HELLO)).toMatchObject({
    error: { code: -32_600, message: expect.stringContaining('pegboard serve --stdio') },
  });
  const client = serve(folder, '--stdio');
  expect(await client.ask('initialize', HELLO)).toHaveProperty('result');
  expect(namesIn(await client.ask('tools/list'))).toContain('echo');
});
