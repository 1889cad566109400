import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createAsk } from '../../board/ask/create-ask.ts';
import { openManifestCache } from './offers/manifest-cache.ts';
import { PackageInstalls } from './packages/package-installs.ts';
import type { ServerSettings } from './server-settings.ts';
import { SharedServer } from './shared-server.ts';
import type { UpstreamResources } from './upstream-resources.ts';

/** The board's part for a server. Time passes only while it waits. */
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
    ask: createAsk({}),
    packages: { data, installs: new PackageInstalls(), lease: none },
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
function openServer(
  file: string,
  args: (starts: string) => readonly string[],
  clock?: UpstreamResources['clock'],
): OpenedServer {
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
  const server = new SharedServer(settings, { ...createResources(folder), ...(clock && { clock }) });
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
    for (let turn = 0; turn < 200; turn++) await nextTurn();
  };
  await server.ask();
  expect(await call('a')).toBe('done');
  expect(starts()).toBe(2);
});

/** Says that its list changed after its first call, and after each list until the fourth. */
const KEEPS_CHANGING = `
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const info = { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo: {} };
  let lists = 0;
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') send({ id, result: info });
    else if (method === 'tools/call') send({ id, result: { content: [] } });
    else if (method === 'tools/list')
      send({ id, result: { tools: [{ name: 'x', description: String(++lists), inputSchema: {} }] } });
    if (lists < 4 && (lists > 1 || method === 'tools/call')) send({ method: 'notifications/tools/list_changed' });
  });
`;

it('looks at a list that keeps changing the less often the longer it takes to take it up', async () => {
  let now = 0;
  const waits: number[] = [];
  const clock = {
    now: () => now,
    setTimer(callback: () => void, milliseconds: number) {
      waits.push(milliseconds);
      // Work in progress continues first, as with a real clock.
      setImmediate(() => {
        now += milliseconds;
        callback();
      });
      return undefined;
    },
    clearTimer: () => {},
  };
  const { server, call } = openServer(process.execPath, () => ['-e', KEEPS_CHANGING], clock);
  const work = [0, 0, 3200];
  const over = Promise.withResolvers<void>();
  server.onOffer = async ({ manifest }) => {
    now += work.shift() ?? 0;
    if (manifest?.tools[0]?.description === '4') over.resolve();
  };
  await server.ask();
  await call('');
  await over.promise;
  // Other waits are a second long, or that of a call of which nothing is known.
  expect(Math.max(...waits)).toBeGreaterThan(20_000);
});
