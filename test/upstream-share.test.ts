// A process of a server is shared by all callers of the board, those of one user, or those of one session.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { agentAsTool, defineAgent } from '../src/agent.ts';
import { type Board, defineTool, ToolContext } from '../src/index.ts';
import { eventually, isAlive } from '../src/platform/process/spawners.test-helper.ts';
import { scriptedModel } from '../src/testing.ts';
import { openDesk, serveDesk } from './served-desk.test-helper.ts';
import { boardFolder, fixture, installed, openFolder, readStarts } from './upstream-boards.test-helper.ts';
import { entryFile, fixtureFile } from './cli-program.test-helper.ts';

describe('a server whose clients have tokens', () => {
  it('has a process for each user, started by the first call, and the first of them is the one that listed the tools', async () => {
    const desk = await openDesk();
    const connect = await serveDesk(desk, ['alice', 'bob']);
    expect(desk.board.servers[0]).toMatchObject({ state: 'running', instances: 1 });
    const [alice, again, bob] = await Promise.all([
      connect({ user: 'alice' }),
      connect({ user: 'alice', mode: 'auto' }),
      connect({ user: 'bob' }),
    ]);
    expect(desk.starts()).toHaveLength(1);
    expect(await alice.call('remember', { note: 'of alice' })).toBe('of alice');
    expect(await bob.call('recall')).toBe('nothing');
    expect(await bob.call('remember', { note: 'of bob' })).toBe('of bob');
    // Another client of the same user, in the other era.
    expect(await again.call('recall')).toBe('of alice');
    expect(desk.starts()).toHaveLength(2);
    expect(desk.board.servers[0]).toMatchObject({ instances: 2, starts: 2 });
    // The board's own callers are a user of their own.
    expect((await desk.board.call('desk_recall')).text).toBe('nothing');
    expect((await desk.board.call('desk_recall', {}, { context: { caller: 'token:bob' } })).text).toBe('of bob');
    await desk.board.close();
    expect(desk.starts().filter(isAlive)).toEqual([]);
  });

  it('keeps the memory graphs of users apart where its file is named after {{user}}', async () => {
    const folder = boardFolder({});
    const entry = (share: string) => ({
      ...installed('server-memory'),
      env: { MEMORY_FILE_PATH: join(folder, `${share}-{{ user }}.json`) },
      prefix: `${share}_`,
      share,
    });
    const config = { mcpServers: { user: entry('user'), board: entry('board') } };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(config));
    const graphs = async (board: Board): Promise<string[]> => {
      const read = async (tool: string, caller: string): Promise<string> => {
        const { text } = await board.call(tool, {}, caller === '' ? {} : { context: { caller } });
        return `${caller} ${/"name": ?"(\w*)"/.exec(text)?.[1] ?? 'nothing'}`;
      };
      const callers = ['', 'token:alice', 'token:../../bob'];
      return Promise.all(
        ['user', 'board'].flatMap((share) => callers.map((caller) => read(`${share}_read_graph`, caller))),
      );
    };
    const board = await openFolder(folder);
    const entities = [{ name: 'Ada', entityType: 'person', observations: [] }];
    for (const share of ['user', 'board'])
      await board.call(`${share}_create_entities`, { entities }, { context: { caller: 'token:alice' } });
    const apart = [' nothing', 'token:alice Ada', 'token:../../bob nothing'];
    const together = [' Ada', 'token:alice Ada', 'token:../../bob Ada'];
    expect(await graphs(board)).toEqual([...apart, ...together]);
    await board.close();
    // The next run finds them where they were.
    expect(await graphs(await openFolder(folder))).toEqual([...apart, ...together]);
    const files = readdirSync(folder).filter((name) => /^(?:user|board)-/.test(name));
    expect(files.toSorted()).toEqual(['board-board.json', expect.stringMatching(/^user-alice-[0-9a-f]{20}\.json$/)]);
  });

  it('has one process for all with share: board', async () => {
    const desk = await openDesk({ share: 'board' });
    const connect = await serveDesk(desk, ['alice', 'bob']);
    const [alice, bob] = await Promise.all([connect({ user: 'alice' }), connect({ user: 'bob' })]);
    await alice.call('remember', { note: 'for all' });
    expect(await bob.call('recall')).toBe('for all');
    expect((await desk.board.call('desk_recall')).text).toBe('for all');
    expect(desk.starts()).toHaveLength(1);
  });

  it('has a process for each session with share: session, which ends with it', async () => {
    const desk = await openDesk({ share: 'session' });
    const connect = await serveDesk(desk, ['alice']);
    const [one, other] = await Promise.all([connect({ user: 'alice' }), connect({ user: 'alice' })]);
    await one.call('remember', { note: 'mine' });
    expect(await other.call('recall')).toBe('nothing');
    expect(await one.call('recall')).toBe('mine');
    const pid = Number(await one.call('pid'));
    const transport = one.client.transport;
    // An SDK's client that closes only hangs up; this ends the session.
    if (transport !== undefined && 'terminateSession' in transport) await (transport as Ending).terminateSession();
    await eventually(() => !isAlive(pid));
    expect(await other.call('recall')).toBe('nothing');
    expect(desk.board.servers[0]).toMatchObject({ instances: 1 });
  });

  it('is one process where clients show no token', async () => {
    const desk = await openDesk();
    const connect = await serveDesk(desk);
    const [one, other] = await Promise.all([connect(), connect({ mode: 'auto' })]);
    await one.call('remember', { note: 'ours' });
    expect(await other.call('recall')).toBe('ours');
    expect((await desk.board.call('desk_recall')).text).toBe('ours');
    expect(desk.starts()).toHaveLength(1);
  });
});

interface Ending {
  terminateSession(): Promise<void>;
}

describe('the caller of a call', () => {
  it('stays the same through agents, stand-ins, hooks and code, and no argument names another', async () => {
    const helper = defineAgent({
      name: 'helper',
      description: 'Looks things up.',
      model: scriptedModel([
        { calls: [{ name: 'desk_recall', input: {} }] },
        ({ results }) => String(results[0]?.text),
      ]),
    });
    const lead = defineAgent({
      name: 'lead',
      description: 'Asks the helper.',
      tools: [],
      agents: [helper],
      model: scriptedModel([
        { calls: [{ name: 'helper', input: { task: 'look' } }] },
        ({ results }) => String(results[0]?.text),
      ]),
    });
    const desk = await openDesk({}, { discoveryTools: true });
    const { board } = desk;
    board.registry.register(agentAsTool(lead, { board }));
    board.registry.register(
      defineTool({
        name: 'forge',
        description: 'Calls as another.',
        schema: z.object({}),
        execute: async (_, context) => {
          const forged = context.withMetadata({ caller: 'token:bob', sessionId: 'bob' });
          const copied = new ToolContext({ ...context.metadata, caller: 'token:bob' });
          const results = await Promise.all(
            [forged, copied].map((other) => board.call('desk_recall', {}, { context: other })),
          );
          return results.map(({ text }) => text).join('; ');
        },
      }),
    );
    board.executor.hooks.before(() => ({ context: new ToolContext({ caller: 'token:bob' }) }));
    const connect = await serveDesk(desk, ['alice', 'bob']);
    const [alice, bob] = await Promise.all([connect({ user: 'alice' }), connect({ user: 'bob' })]);
    await bob.call('remember', { note: 'of bob' });
    await alice.call('remember', { note: 'of alice' });
    const ask = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const _meta = { caller: 'token:bob', user: 'token:bob', sessionId: 'bob' };
      const { content } = await alice.client.callTool({ name, arguments: args, _meta });
      return JSON.stringify(content);
    };
    expect(await ask('desk_recall', {})).toContain('of alice');
    expect(await ask('call_tool', { name: 'desk_recall', arguments: {} })).toContain('of alice');
    expect(await ask('lead', { task: 'go' })).toContain('of alice');
    expect(await ask('forge', {})).toContain('of alice; of alice');
    expect(await ask('forge', {})).not.toContain('of bob');
  });
});

describe('the processes of a server', () => {
  it('end when their user leaves them alone, each by itself', async () => {
    const desk = await openDesk({ idle: '300ms' });
    const connect = await serveDesk(desk, ['alice', 'bob']);
    const [alice, bob] = await Promise.all([connect({ user: 'alice' }), connect({ user: 'bob' })]);
    const pid = Number(await alice.call('pid'));
    const held = bob.call('hold');
    await eventually(() => !isAlive(pid));
    expect(await bob.call('release')).toBe('1');
    expect(await held).toBe('let go');
    // Its next call starts another.
    expect(Number(await alice.call('pid'))).not.toBe(pid);
  });

  it('are at most as many as max_instances says: the one idle longest ends, and none that is in use', async () => {
    const desk = await openDesk({ max_instances: 2 });
    const connect = await serveDesk(desk, ['alice', 'bob', 'carol']);
    const [alice, bob, carol] = await Promise.all([
      connect({ user: 'alice' }),
      connect({ user: 'bob' }),
      connect({ user: 'carol' }),
    ]);
    const first = Number(await alice.call('pid'));
    const second = Number(await bob.call('pid'));
    const third = Number(await carol.call('pid'));
    await eventually(() => !isAlive(first));
    expect([second, third].map(isAlive)).toEqual([true, true]);
    let begun = 0;
    desk.board.executor.on('call:started', () => begun++);
    const held = [bob.call('hold'), carol.call('hold')];
    await eventually(() => begun === 2);
    await Promise.all([bob.call('pid'), carol.call('pid')]);
    expect(await alice.call('pid')).toContain(
      'The MCP server "desk" runs 2 times already, for callers that all use it now (max_instances). Try again when one of their calls is over.',
    );
    await Promise.all([bob.call('release'), carol.call('release')]);
    expect(await Promise.all(held)).toEqual(['let go', 'let go']);
    expect(Number(await alice.call('pid'))).toBeGreaterThan(0);
  });

  it('are not more while some take their time to end', async () => {
    const folder = boardFolder({});
    const starts = join(folder, 'starts');
    const server = `node "${fixtureFile('desk-server')}"`;
    const script = `trap "" TERM; echo $$ >> "${starts}"; ${server}; sleep 100; sleep 100`;
    const stubborn = { command: 'sh', args: ['-c', script], max_instances: 1, protocol: '2025-11-25' };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ mcpServers: { stubborn } }));
    const board = await openFolder(folder);
    for (const caller of ['alice', 'bob']) {
      expect((await board.call('stubborn__recall', {}, { context: { caller } })).text).toBe('nothing');
      expect(readStarts(starts).filter(isAlive)).toHaveLength(1);
    }
    expect(readStarts(starts)).toHaveLength(2);
  });

  it('are not all for one user whose calls never end', async () => {
    const desk = await openDesk({ share: 'session', max_instances: 4 });
    const call = (tool: string, caller: string, sessionId: string) =>
      desk.board.call(`desk_${tool}`, {}, { context: { caller, sessionId } });
    const held = ['1', '2', '3'].map((session) => call('hold', 'mallory', session));
    await Promise.all(['1', '2', '3'].map((session) => call('pid', 'mallory', session)));
    const { error } = await call('pid', 'mallory', '4');
    expect(error?.code).toBe('upstream_unavailable');
    expect(error?.message).toBe(
      'The MCP server "desk" runs 3 times for you already, with calls under way; the rest of its 4 (max_instances) is for other users. Try again when one of your calls is over.',
    );
    expect((await call('recall', 'alice', '1')).text).toBe('nothing');
    for (const session of ['1', '2', '3']) await call('release', 'mallory', session);
    expect((await Promise.all(held)).map(({ text }) => text)).toEqual(['let go', 'let go', 'let go']);
  });

  it('keep what they remember where each says something else about a tool, such as the name of its user', async () => {
    const folder = boardFolder({});
    const says = (user: string): string => join(folder, `says-${user}`);
    const desk = fixture('desk-server.ts', '--starts', join(folder, 'starts'), '--says', says('{{user}}'));
    const config = { mcpServers: { desk: { ...desk, protocol: '2025-11-25' } } };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(config));
    const names = { '': 'board', alice: 'alice-2bd806c97f0e00af1a1f', bob: 'bob-81b637d8fcd2c6da6359' };
    for (const name of Object.values(names)) writeFileSync(says(name), `Keeps a note of ${name}`);
    const board = await openFolder(folder);
    const remember = async (caller: string, note: string): Promise<string> =>
      (await board.call('desk__remember', { note }, { context: { caller } })).text;
    for (const note of ['1', '2', '3', '4']) for (const caller of ['alice', 'bob']) await remember(caller, note);
    expect(await remember('alice', '5')).toMatch(/3 4 5$/);
    expect(await remember('bob', '5')).toMatch(/3 4 5$/);
    // One of each user and that of the list; one was replaced, as if the server had changed.
    expect(readStarts(join(folder, 'starts')).length).toBeLessThanOrEqual(4);
  });

  it('of a user with many are ended before those of others', async () => {
    const desk = await openDesk({ share: 'session', max_instances: 3 });
    const call = async (caller: string, sessionId: string): Promise<number> =>
      Number((await desk.board.call('desk_pid', {}, { context: { caller, sessionId } })).text);
    const bob = await call('bob', 'b');
    const first = await call('alice', '1');
    for (const session of ['2', '3', '4']) await call('alice', session);
    await eventually(() => !isAlive(first));
    expect(await call('bob', 'b')).toBe(bob);
  });

  it('crash alone, and come back for their user', async () => {
    const desk = await openDesk();
    const connect = await serveDesk(desk, ['alice', 'bob']);
    const [alice, bob] = await Promise.all([connect({ user: 'alice' }), connect({ user: 'bob' })]);
    await alice.call('remember', { note: 'of alice' });
    await bob.call('remember', { note: 'of bob' });
    expect(await alice.call('crash')).toContain('it ended with exit code 9');
    expect(await bob.call('recall')).toBe('of bob');
    expect(await alice.call('recall')).toBe('nothing');
  });

  it('all are what the lock says: one that offers something else is called by none', async () => {
    const says = join(mkdtempSync(join(tmpdir(), 'pegboard-says-')), 'says');
    onTestFinished(() => rmSync(dirname(says), { recursive: true }));
    writeFileSync(says, 'Keeps a note');
    const first = await openDesk({ lock: 'deny' }, { lock: 'ignore' }, '--says', says);
    first.board.lock.write();
    await first.board.close();
    const board = await openFolder(first.folder);
    const call = (tool: string, caller: string) =>
      board.call(`desk_${tool}`, tool === 'remember' ? { note: caller } : {}, { context: { caller } });
    expect((await call('remember', 'alice')).text).toBe('alice');
    writeFileSync(says, 'Keeps a note and sends it away');
    // Bob's process is the first that says so: it is refused for him, and for Alice too.
    const pid = (await call('pid', 'bob')).text;
    expect((await call('remember', 'bob')).error?.code).toBe('not_found');
    expect((await call('remember', 'alice')).error?.code).toBe('not_found');
    writeFileSync(says, 'Keeps a note');
    await call('pid', 'carol');
    // Carol's is what the lock says. Bob's old process must not run the tool in its name.
    expect((await call('remember', 'bob')).text).toBe('bob');
    expect((await call('pid', 'bob')).text).not.toBe(pid);
    expect((await call('remember', 'alice')).text).toBe('alice alice');
  });

  it('stay over a reload that does not concern them, and end with the entry that started them', async () => {
    const desk = await openDesk();
    const connect = await serveDesk(desk, ['alice', 'bob']);
    const [alice, bob] = await Promise.all([connect({ user: 'alice' }), connect({ user: 'bob' })]);
    await alice.call('remember', { note: 'of alice' });
    const before = [alice, bob].map(({ call }) => call('pid'));
    await desk.board.reload();
    expect(await Promise.all([alice, bob].map(({ call }) => call('pid')))).toEqual(await Promise.all(before));
    const pids = (await Promise.all(before)).map(Number);
    const given = new AbortController();
    const context = { caller: 'token:alice' };
    const held = desk.board.call('desk_hold', {}, { context, signal: given.signal });
    await alice.call('pid');
    desk.write({}, '--eager');
    await desk.board.reload();
    // The call that runs ends on the process that it began on; new ones get another.
    expect(await alice.call('recall')).toBe('nothing');
    expect(isAlive(pids[0] ?? 0)).toBe(true);
    given.abort();
    expect((await held).error?.code).toBe('cancelled');
    await eventually(() => !pids.some(isAlive));
    await desk.board.close();
    expect(desk.starts().filter(isAlive)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('end when the board is killed with -9', async () => {
    const desk = await openDesk();
    await desk.board.close();
    const earlier = desk.starts().length;
    const program = `
      import { openBoard } from '${entryFile('index')}';
      const board = await openBoard('pegboard.yaml');
      for (const caller of ['alice', 'bob']) await board.call('desk_pid', {}, { context: { caller } });
      console.log('ready');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: desk.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const pids = desk.starts().slice(earlier);
    expect(pids.map(isAlive)).toEqual([true, true]);
    child.kill('SIGKILL');
    await eventually(() => !pids.some(isAlive));
  });
});
