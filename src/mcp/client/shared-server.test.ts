import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openManifestCache } from './manifest-cache.ts';
import type { ServerSettings } from './server-settings.ts';
import { SharedServer } from './shared-server.ts';
import type { UpstreamResources } from './upstream-resources.ts';

/** What a server needs of its board. Time passes only while it waits. */
function createResources(data: string): UpstreamResources {
  let now = 0;
  const none = async (): Promise<never> => {
    throw new Error('Nothing is sent here.');
  };
  return {
    cache: openManifestCache(data, (text) => text),
    redact: (text) => text,
    learn: () => {},
    dispatcher: none,
    publicDispatcher: none,
    tokenStore: () => {
      throw new Error('Nothing is kept here.');
    },
    login: undefined,
    clock: {
      now: () => now,
      setTimer(callback, milliseconds) {
        now += milliseconds;
        queueMicrotask(callback);
        return undefined;
      },
      clearTimer: () => {},
    },
    close: async () => {},
  };
}

interface OpenedServer {
  readonly server: SharedServer;
  call(user: string): Promise<string>;
  starts(): number;
}

/** A server that ends at once; `script` begins what is run. */
function openBroken(script = ''): OpenedServer {
  return openServer('/bin/sh', (starts) => ['-c', `${script} echo x >> "${starts}"; exit 3`]);
}

/** A server that notes its starts in a file. */
function openServer(file: string, args: (starts: string) => readonly string[]): OpenedServer {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const starts = join(folder, 'starts');
  const settings: ServerSettings = {
    name: 'broken',
    address: {
      type: 'stdio',
      named: [],
      file,
      args: args(starts),
      cwd: folder,
      env: {},
    },
    startTimeout: 30_000,
    idle: Infinity,
    maxFrame: 1024,
    era: 'legacy',
    share: 'user',
    maxInstances: 20,
    roots: undefined,
  };
  const server = new SharedServer(settings, createResources(folder));
  onTestFinished(() => server.close());
  return {
    server,
    call: (user) =>
      server
        .call({
          tool: 'x',
          args: {},
          client: { user, session: '' },
          signal: new AbortController().signal,
          untimed: (work) => work,
        })
        .then(
          ({ text }) => text,
          (error: Error) => error.message,
        ),
    starts: () => readFileSync(starts, 'utf8').trim().split('\n').length,
  };
}

it('puts off the start of every process of a server that cannot start, for all users', async () => {
  const { server, call, starts } = openBroken();
  const told: string[] = [];
  for (const user of 'abcdefgh') told.push(await call(user));
  // 250 ms, 500 ms, … 4 s are waited for; the next one is further off than a call waits.
  expect(starts()).toBe(6);
  expect(told.at(-1)).toContain('it ended with exit code 3. It is tried again in 8 s.');
  expect(server.status).toMatchObject({ state: 'failing', instances: 0 });
});

it('puts off the starts of one user alone where they name the user', async () => {
  const { call, starts } = openBroken('true {{user}};');
  const told: string[] = [];
  for (let tries = 0; tries < 8; tries++) told.push(await call('mallory'));
  expect(told.at(-1)).toContain('It is tried again in 8 s.');
  expect(starts()).toBe(6);
  expect(await call('alice')).not.toContain('It is tried again');
  expect(starts()).toBe(7);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Ends right after it has said what it offers; later starts of it stay. */
const ENDS_ONCE = `
  const { appendFileSync, readFileSync } = require('node:fs');
  const [, starts] = process.argv;
  appendFileSync(starts, process.pid + '\\n');
  const isFirst = readFileSync(starts, 'utf8') === process.pid + '\\n';
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
      'tools/list': { tools: [{ name: 'x', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
    };
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} });
    if (id !== undefined) process.stdout.write(text + '\\n', () => method === 'tools/list' && isFirst && process.exit(7));
  });
`;

it('starts a server again that ended while the board took up what it offers', async () => {
  let file = '';
  const { server, call, starts } = openServer(process.execPath, (noted) => ['-e', ENDS_ONCE, (file = noted)]);
  server.onOffer = async () => {
    const pid = Number(readFileSync(file, 'utf8'));
    while (isAlive(pid)) await nextTurn();
    // It is told after the exit, when the last lines of standard error are read.
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  await server.ask();
  expect(await call('a')).toBe('done');
  expect(starts()).toBe(2);
});
