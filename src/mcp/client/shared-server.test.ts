import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** A server that ends at once; `script` begins what is run. */
function openBroken(script = ''): {
  readonly server: SharedServer;
  call(user: string): Promise<string>;
  starts(): number;
} {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const starts = join(folder, 'starts');
  const settings: ServerSettings = {
    name: 'broken',
    address: {
      type: 'stdio',
      named: [],
      file: '/bin/sh',
      args: ['-c', `${script} echo x >> "${starts}"; exit 3`],
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
