// Servers that answer late or never, behind the commands that people and clients start.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestContext } from '../src/cli/shared/cli-context.test-helper.ts';
import { runCli } from '../src/cli/run-cli.ts';
import { eventually } from '../src/platform/process/spawners.test-helper.ts';
import { ALONE, CLI } from './cli-program.test-helper.ts';
import { AUTHORIZATION, startHttp, startServe, TOKEN, waitForText } from './mcp/serve-process.test-helper.ts';
import { answerOf, bearer, messagesOf, openSession, post, textOf } from './mcp/http-client.test-helper.ts';
import { boardFolder, ECHO, fixture, readStarts, STUCK } from './upstream-boards.test-helper.ts';

/** A board with a local tool, a server that hangs and one that answers once the file `gate` is there. */
function lateBoard(): { readonly folder: string; readonly file: string; openGate(): void } {
  const folder = boardFolder({});
  const args = ['--late', join(folder, 'gate'), '--starts', join(folder, 'starts')];
  const odd = { ...fixture('odd-server.ts', ...args), protocol: '2025-11-25' };
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, JSON.stringify({ tools: [ECHO], mcpServers: { stuck: STUCK, odd } }));
  return { folder, file, openGate: () => writeFileSync(join(folder, 'gate'), '') };
}

type Message = { readonly id?: number; readonly method?: string; readonly result?: Record<string, unknown> };

/** A client that talks to a process over its standard streams. */
function connect(child: ChildProcess): {
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  heard(method: string): Promise<void>;
} {
  const answers = new Map<number, (result: Record<string, unknown>) => void>();
  const told: string[] = [];
  let last = 0;
  createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
    const { id, method, result = {} }: Message = JSON.parse(line);
    if (method !== undefined) told.push(method);
    else if (id !== undefined) answers.get(id)?.(result);
  });
  return {
    request: (method, params = {}) => {
      const id = ++last;
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return new Promise((resolve) => answers.set(id, resolve));
    },
    heard: async (method) => void (await eventually(() => told.includes(method))),
  };
}

function namesIn(result: Record<string, unknown> | undefined): string[] {
  const tools: unknown = result?.['tools'];
  return Array.isArray(tools) ? tools.map(({ name }) => String(name)) : [];
}

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

describe('pegboard serve', () => {
  it('answers at once over stdio, and tells its client of servers that answer later', async () => {
    const { folder, file, openGate } = lateBoard();
    const child = startServe([file], { cwd: folder });
    onTestFinished(() => void child.kill());
    const said = waitForText(child.stderr, /the MCP server "odd" now offers 17 tools/);
    const client = connect(child);
    expect(await client.request('initialize', HELLO)).toMatchObject({ capabilities: { tools: { listChanged: true } } });
    expect(namesIn(await client.request('tools/list'))).not.toContain('odd__echo');
    const local = await client.request('tools/call', { name: 'echo', arguments: { text: 'hi' } });
    expect(local).toMatchObject({ content: [{ text: expect.stringContaining('hi') }] });
    const call = client.request('tools/call', { name: 'odd__echo', arguments: { text: 'waited' } });
    openGate();
    expect(await call).toMatchObject({ content: [{ text: 'waited' }] });
    await client.heard('notifications/tools/list_changed');
    expect(namesIn(await client.request('tools/list'))).toContain('odd__echo');
    expect(await said).toContain('asking stuck, odd for tools; they are added when the server answers');
  });

  it('tells every session over HTTP', async () => {
    const { file, openGate } = lateBoard();
    const { child, url } = await startHttp([file, '--token', TOKEN]);
    onTestFinished(() => void child.kill());
    const sessions = await Promise.all([openSession(url, AUTHORIZATION), openSession(url, AUTHORIZATION)]);
    const streams = await Promise.all(
      sessions.map((headers) => fetch(url, { headers: { accept: 'text/event-stream', ...headers } })),
    );
    const call = post(
      url,
      { id: 5, method: 'tools/call', params: { name: 'odd__echo', arguments: { text: 'x' } } },
      sessions[0],
    );
    openGate();
    for (const stream of streams) {
      for await (const { method } of messagesOf(stream)) if (method === 'notifications/tools/list_changed') break;
    }
    expect(textOf(await answerOf(call))).toBe('x');
    for (const headers of sessions) {
      const listed = await answerOf(post(url, { id: 2, method: 'tools/list' }, headers));
      expect(namesIn(listed?.result)).toContain('odd__echo');
    }
  });

  it('lets a client with fewer rights wait for its own tools, and start no server by a name', async () => {
    const { folder, file, openGate } = lateBoard();
    const config = JSON.parse(readFileSync(file, 'utf8'));
    const made = JSON.parse((await run(['serve', '--new-token', '--json'], folder)).stdout);
    const serve = { tokens: [{ name: 'bob', hash: made.hash, allow: ['odd__echo', 'echo'] }] };
    writeFileSync(file, JSON.stringify({ ...config, serve }));
    const { child, url } = await startHttp([file]);
    onTestFinished(() => void child.kill());
    const session = await openSession(url, bearer(made.token));
    const send = (id: number, name: string): Promise<Response> =>
      post(url, { id, method: 'tools/call', params: { name, arguments: { text: 'x' } } }, session);
    await eventually(() => readStarts(join(folder, 'starts')).length === 1);
    const [own, other] = [send(5, 'odd__echo'), send(6, 'odd__wipe')];
    openGate();
    expect(textOf(await answerOf(own))).toBe('x');
    expect(textOf(await answerOf(other))).toContain('There is no tool "odd__wipe".');
  });
});

/** Runs a command in a process of its own, without a terminal. */
function run(
  args: readonly string[],
  cwd: string,
  path = process.env['PATH'],
): Promise<Record<'stdout' | 'stderr', string>> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { PATH: path, HOME: cwd, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], ...ALONE },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  return new Promise((resolve) => child.once('close', () => resolve(output)));
}

describe('commands that only read', () => {
  it.for([['list'], ['search', 'say', 'something'], ['tokens'], ['prompt'], ['export', '--format', 'mcp']])(
    'start nothing without a terminal, and say so: %s',
    async (command) => {
      const { folder } = lateBoard();
      const { stdout, stderr } = await run(command, folder);
      expect(stdout).toContain('echo');
      expect(stderr).toContain('2 MCP servers have not been asked yet: stuck, odd. Use --wait to ask them.');
      expect(existsSync(join(folder, 'starts'))).toBe(false);
    },
  );

  it('ask with --wait', async () => {
    const { folder, file, openGate } = lateBoard();
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ tools: [ECHO], mcpServers: { odd: mcpServers.odd } }));
    openGate();
    expect((await run(['list', '--wait'], folder)).stdout).toContain('odd__echo');
    const { stdout, stderr } = await run(['show', 'odd__echo'], folder);
    expect(stdout).toContain('odd__echo');
    expect(stderr).toBe('');
  });

  it('show on a terminal what they wait for, and go on at Ctrl-C', async () => {
    const { folder, openGate } = lateBoard();
    openGate();
    const context = createTestContext({ isTTY: true, cwd: folder, env: process.env });
    let interrupt: (() => void) | undefined;
    const listed = runCli(['list', '--trust'], {
      ...context,
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => (interrupt = undefined);
      },
    });
    let drawn = '';
    await eventually(() => /Waiting for the MCP server stuck \(\d+ s\)/.test((drawn += context.printed().stderr)));
    interrupt?.();
    expect(await listed).toBe(0);
    expect(context.printed().stdout).toContain('odd__echo');
  });
});

describe('pegboard call', () => {
  it('starts only the server that has the tool', async () => {
    const { folder, openGate } = lateBoard();
    expect(await run(['call', 'echo', '-a', 'text=hi'], folder)).toMatchObject({ stdout: 'hi\n', stderr: '' });
    expect(existsSync(join(folder, 'starts'))).toBe(false);
    openGate();
    expect(await run(['call', 'odd__echo', '-a', 'text=there'], folder)).toMatchObject({
      stdout: 'there\n',
      stderr: '',
    });
    expect(readStarts(join(folder, 'starts'))).toHaveLength(1);
  });

  it('answers at once on the board of the README that has a server', async () => {
    const folder = boardFolder({});
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    writeFileSync(
      join(folder, 'pegboard.yaml'),
      /```yaml\n(.{0,2000}?mcpServers:.*?)```/s.exec(readme.slice(readme.indexOf('recent_commits') - 200))?.[1] ?? '',
    );
    const fake = (name: string, line: string): void => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`);
      chmodSync(join(folder, name), 0o755);
    };
    fake('npx', `touch "${folder}/started"; exec sleep 1000`);
    fake('git', 'echo "$@"');
    const path = [folder, process.env['PATH']].join(delimiter);
    const { stdout } = await run(['call', 'recent_commits', '--arg', 'count=3'], folder, path);
    expect(stdout).toContain('log --oneline');
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });
});

describe('pegboard validate and doctor', () => {
  it('say which servers are not known, and which failed and when they are tried again', async () => {
    const folder = boardFolder({ mcpServers: { odd: fixture('odd-server.ts'), gone: { command: 'no-such-program' } } });
    await run(['call', 'gone__x'], folder);
    const { stdout } = await run(['validate'], folder);
    expect(stdout).toContain('what it offers is not known yet, and it is not asked now.');
    expect(stdout).toMatch(/has no tools here, and is tried again at [\d:]+\. The MCP server "gone"/);
    const checked = await run(['doctor'], folder);
    expect(checked.stdout).toContain('its tools are not known yet; pegboard doctor --online starts it');
    expect(checked.stdout).toContain(
      'when it was last started: The MCP server "gone" (no-such-program) is not available',
    );
  });
});
