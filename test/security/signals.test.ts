// Every way to end a command, for every command that starts others: none may leave a process, and the exit code tells how it ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startProvider } from '../../src/agent/loop/loopback-provider.test-helper.ts';
import { eventually, isAlive, readPids } from '../../src/platform/process/spawners.test-helper.ts';
import { findLink, headersFor } from '../answer-approval.test-helper.ts';
import { ALONE, CLI, entryFile } from '../cli-program.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-signals-'));
const closers: (() => unknown)[] = [];
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  rmSync(folder, { recursive: true, force: true });
});
const TOKEN = 'a-token-for-this-test-only';
let runs = 0;

/** A command that ignores every polite request, with a child that left its group and lost its parents. */
const HOLD = String.raw`trap "" HUP INT QUIT TERM; (setsid sh -c 'trap "" TERM; echo $$ >> "$1"; while :; do sleep 600; done' _ "$1" &); echo $$ >> "$1"; while :; do sleep 600; done`;

interface Running {
  readonly child: ChildProcess;
  /** Returns its output so far, of both streams. */
  printed(): string;
  readonly folder: string;
}

/** A way to start a command and make it run `hold`. */
interface Way {
  readonly name: string;
  readonly args: readonly string[];
  /** The rest of the config beside the tool. */
  readonly config?: (pidFile: string) => string | Promise<string>;
  readonly env?: Readonly<Record<string, string>>;
  /** Makes it call the tool; nothing where it does so by itself. */
  readonly call?: (running: Running) => Promise<void> | void;
  /** It stops in its own time when it is asked to, which is no failure. */
  readonly isServer?: boolean;
}

async function start(way: Way): Promise<Running & { readonly pids: readonly number[] }> {
  const home = join(folder, `run-${runs++}`);
  mkdirSync(home);
  const pidFile = join(home, 'pids');
  const hold = JSON.stringify(['sh', '-c', HOLD, '_', pidFile]);
  writeFileSync(
    join(home, 'pegboard.yaml'),
    `tools:\n  - { name: hold, type: cli, description: Holds on, risk: read, timeout: 1h, command: ${hold} }\n${(await way.config?.(pidFile)) ?? ''}`,
  );
  const child = spawn(process.execPath, way.args, {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], ...ALONE, ...way.env },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const running = { child, printed: () => text, folder: home };
  await way.call?.(running);
  return { ...running, pids: await readPids(pidFile, 2) };
}

const message = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const INITIALIZE = message(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});
const CALL = message(2, 'tools/call', { name: 'hold', arguments: {} });

const WAYS: Way[] = [
  { name: 'call', args: [CLI, 'call', 'hold'] },
  {
    name: 'serve',
    args: [CLI, 'serve'],
    isServer: true,
    call: ({ child }) => {
      child.stdin?.write(INITIALIZE);
      child.stdin?.write(CALL);
    },
  },
  {
    name: 'serve --http',
    args: [CLI, 'serve', '--http', '--port', '0', '--token', TOKEN],
    // Calls get time to finish, which this one does not use.
    config: () => 'serve: { limits: { grace: 100ms } }\n',
    isServer: true,
    call: async ({ printed }) => {
      const url = await eventually(() => /at (http:\S+?),? /.exec(`${printed()} `)?.[1]);
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const opened = await fetch(url, { method: 'POST', headers, body: INITIALIZE });
      const session = opened.headers.get('mcp-session-id') ?? '';
      const request = { method: 'POST', headers: { ...headers, 'mcp-session-id': session }, body: CALL };
      void fetch(url, request).catch(() => {});
    },
  },
  {
    name: 'inspect',
    args: [CLI, 'inspect'],
    isServer: true,
    call: async ({ printed }) => {
      const link = await eventually(() => (/#token=[\w-]+\n/.test(printed()) ? findLink(printed()) : undefined));
      const headers = { ...headersFor(link), 'content-type': 'application/json' };
      void fetch(new URL('/api/tools/hold/call', link), { method: 'POST', headers, body: '{}' }).catch(() => {});
    },
  },
  {
    name: 'agent --once',
    args: [CLI, 'agent', '--once', 'Hold on'],
    config: async () => {
      const provider = await startProvider(() => ({ calls: [{ id: 'c1', name: 'hold', input: {} }] }));
      closers.push(() => provider.close());
      return `agents:\n  helper: { provider: openai-compatible, model: loop-1, base_url: '${provider.url}', api_key: none-at-all }\n`;
    },
  },
  {
    name: 'doctor --online, with an MCP server that hangs',
    args: [CLI, 'doctor', '--online'],
    config: (pidFile) =>
      `mcpServers:\n  stuck: { start_timeout: 1h, command: sh, args: ${JSON.stringify(['-c', HOLD, '_', pidFile])} }\n`,
  },
  {
    name: 'list --wait, with an MCP server that hangs',
    args: [CLI, 'list', '--wait'],
    config: (pidFile) =>
      `mcpServers:\n  stuck: { start_timeout: 1h, command: sh, args: ${JSON.stringify(['-c', HOLD, '_', pidFile])} }\n`,
  },
  {
    name: 'a script with openBoard',
    args: [
      '--input-type=module',
      '-e',
      `import { openBoard } from '${entryFile('index')}';
       const board = await openBoard('pegboard.yaml');
       await board.call('hold');`,
    ],
  },
];

const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 } as const;

// All at once, as far as the runner lets them: those that wait for a board to end leave the cores to others.
describe.runIf(process.platform === 'linux').each(WAYS)('$name', { concurrent: true }, (way) => {
  const isScript = way.name === 'a script with openBoard';

  it.each(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const)('leaves nothing after %s', async (signal) => {
    const { child, pids } = await start(way);
    const exit = once(child, 'exit');
    child.kill(signal);
    expect(await exit).toEqual(
      isScript
        ? [null, signal]
        : way.isServer === true && signal !== 'SIGINT'
          ? [0, null]
          : [128 + NUMBERS[signal], null],
    );
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });

  it('leaves nothing after kill -9', async () => {
    const { child, pids } = await start(way);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    expect(await exit).toEqual([null, 'SIGKILL']);
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });

  it('leaves nothing when it is asked twice', async () => {
    const { child, pids } = await start(way);
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    // The same signal twice may arrive as one; of two, either may arrive first.
    child.kill('SIGTERM');
    const [code, signal] = await exit;
    expect([130, 143, 'SIGINT', 'SIGTERM']).toContain(code ?? signal);
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });
});

describe.runIf(process.platform === 'linux')('other ends', { concurrent: true }, () => {
  it('leaves nothing when a client closes the input of serve', async () => {
    const [, serve] = WAYS;
    if (serve === undefined) throw new Error('There is no such way.');
    const { child, pids } = await start(serve);
    const exit = once(child, 'exit');
    child.stdin?.end();
    expect(await exit).toEqual([0, null]);
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });

  it('leaves nothing when a script dies of an error', async () => {
    const program = `import { openBoard } from '${entryFile('index')}';
      const board = await openBoard('pegboard.yaml');
      void board.call('hold');
      process.stdin.once('data', () => { throw new Error('on purpose'); });`;
    const { child, pids } = await start({ name: 'error', args: ['--input-type=module', '-e', program] });
    const exit = once(child, 'exit');
    child.stdin?.write('x');
    expect(await exit).toEqual([1, null]);
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });
});
