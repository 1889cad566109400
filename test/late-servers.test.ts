// Servers that answer late, never, or not at all: a board opens without them, and their tools come when they answer.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../src/index.ts';
import { eventually, isAlive } from '../src/platform/process/spawners.test-helper.ts';
import {
  boardFolder,
  ECHO,
  fixture,
  nextChange,
  openAtOnce,
  ownNames,
  readStarts,
  STUCK,
} from './upstream-boards.test-helper.ts';
import { entryFile } from './cli-program.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

/** A server that answers when the file `gate` is in its folder, and notes its starts in the file `starts`. */
function lateServer(folder: string, name = 'gate'): Record<string, unknown> {
  const args = ['--late', join(folder, name), '--starts', join(folder, 'starts')];
  return { ...fixture('odd-server.ts', ...args), protocol: '2025-11-25' };
}

/** A server that crashes until the file `gate` is there, and notes its starts. */
function brokenServer(folder: string): Record<string, unknown> {
  const args = ['--crash-until', join(folder, 'gate'), '--starts', join(folder, 'starts')];
  return { ...fixture('odd-server.ts', ...args), protocol: '2025-11-25', env: { SECRET_TOKEN: 'hunter2hunter2' } };
}

function configure(folder: string, config: unknown): void {
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(config));
}

const startsOf = (folder: string): number[] => readStarts(join(folder, 'starts'));
const openGate = (folder: string): void => writeFileSync(join(folder, 'gate'), '');

describe('a board', () => {
  it('opens and runs local tools while a server hangs, and ends it when it closes', async () => {
    const board = await openAtOnce(boardFolder({ tools: [ECHO], mcpServers: { stuck: STUCK } }));
    expect(board.servers).toMatchObject([{ name: 'stuck', state: 'stopped', starts: 0, offered: undefined }]);
    await eventually(() => board.servers[0]?.state === 'starting');
    expect((await board.call('echo', { text: 'hi' })).text.trim()).toBe('hi');
    expect(board.servers).toMatchObject([{ state: 'starting', starts: 1 }]);
    expect(board.diagnostics).toMatchObject([{ severity: 'note', message: 'is being asked what it offers.' }]);
    await board.close();
    expect(board.servers[0]?.state).not.toBe('running');
  });

  it('takes up a late server everywhere: registry, search, single tools, listeners', async () => {
    const folder = boardFolder({});
    const recall = { name: 'recall', type: 'mcp', server: 'odd', tool: 'echo', description: 'Recall a saying' };
    configure(folder, { tools: [ECHO, recall], mcpServers: { stuck: STUCK, odd: lateServer(folder) } });
    const board = await openAtOnce(folder);
    expect(ownNames(board)).toEqual(['echo']);
    const changed = nextChange(board);
    openGate(folder);
    expect(await changed).toBe('odd');
    expect(board.registry.has('recall')).toBe(true);
    expect(board.search('recall a saying').map(({ metadata }) => metadata.name)).toContain('recall');
    expect((await board.call('recall', { text: 'again' })).text).toBe('again');
    expect(board.diagnostics.map(({ path }) => path[1])).toEqual(['stuck']);
  });

  it('waits with a call for tools that a server has just offered', async () => {
    const folder = boardFolder({});
    configure(folder, { mcpServers: { odd: lateServer(folder) } });
    const board = await openAtOnce(folder);
    openGate(folder);
    // Between the offer and the tools on the board.
    while (board.servers[0]?.offered === undefined) await new Promise(setImmediate);
    expect((await board.call('odd__echo', { text: 'hi' })).text).toBe('hi');
  });

  it('has the tools of servers that answer at the same time', async () => {
    const folder = boardFolder({});
    const names = ['a', 'b', 'c', 'd'];
    configure(folder, { mcpServers: Object.fromEntries(names.map((name) => [name, lateServer(folder)])) });
    const board = await openAtOnce(folder);
    openGate(folder);
    expect(await board.ready()).toEqual([]);
    const found = new Set(ownNames(board).map((name) => name.charAt(0)));
    expect([...found]).toEqual(names);
    expect(startsOf(folder)).toHaveLength(4);
  });

  it('says with ready() which servers are not there, and asks those that failed only when it is told to', async () => {
    const folder = boardFolder({});
    configure(folder, { mcpServers: { odd: brokenServer(folder) } });
    const board = await openAtOnce(folder);
    expect(await board.ready()).toMatchObject([{ name: 'odd', state: 'failing', failure: { count: 1 } }]);
    openGate(folder);
    expect(await board.ready()).toMatchObject([{ name: 'odd' }]);
    expect(startsOf(folder)).toHaveLength(1);
    expect(await board.ready({ retry: true })).toEqual([]);
    expect(startsOf(folder)).toHaveLength(2);
  });

  it('keeps what is under way when its files are read again', async () => {
    const folder = boardFolder({});
    const odd = lateServer(folder);
    configure(folder, { mcpServers: { odd } });
    const board = await openAtOnce(folder);
    await eventually(() => startsOf(folder).length === 1);
    const call = board.call('odd__echo', { text: 'after the reload' });
    configure(folder, { tools: [ECHO], mcpServers: { odd } });
    expect(await board.reload()).toEqual({ ok: true });
    openGate(folder);
    expect((await call).text).toBe('after the reload');
    expect(startsOf(folder)).toHaveLength(1);
    expect(board.registry.has('echo')).toBe(true);
    expect(board.registry.has('odd__wipe')).toBe(true);
  });

  it('ends a server whose entry changed while it was asked, and the call goes on with the next', async () => {
    const folder = boardFolder({});
    configure(folder, { mcpServers: { odd: lateServer(folder, 'never') } });
    const board = await openAtOnce(folder);
    const [pid = 0] = await eventually(() => startsOf(folder).length === 1 && startsOf(folder));
    const call = board.call('odd__echo', { text: 'from the next' });
    configure(folder, { mcpServers: { odd: lateServer(folder) } });
    await board.reload();
    await eventually(() => !isAlive(pid));
    openGate(folder);
    expect((await call).text).toBe('from the next');
    expect(startsOf(folder)).toHaveLength(2);
  });
});

describe('a call of a tool that is not there yet', () => {
  it.for([
    ['its prefix', {}, 'odd__echo'],
    ['a prefix that people wrote', { prefix: 'my_' }, 'my_echo'],
    ['no prefix', { prefix: '' }, 'echo'],
    ['another name', { prefix: 'x_', rename: { echo: 'say' } }, 'x_say'],
  ] as const)('waits for the server that may have it, by %s', async ([, entry, name]) => {
    const folder = boardFolder({});
    configure(folder, { mcpServers: { stuck: STUCK, odd: { ...lateServer(folder), ...entry } } });
    const board = await openAtOnce(folder);
    const call = board.call(name, { text: 'at last' });
    await eventually(() => startsOf(folder).length === 1);
    openGate(folder);
    expect((await call).text).toBe('at last');
  });

  it('waits through call_tool and describe_tool too', async () => {
    const folder = boardFolder({});
    configure(folder, { discovery: { tools: true }, mcpServers: { odd: lateServer(folder) } });
    const board = await openAtOnce(folder);
    const call = board.call('call_tool', { name: 'odd__echo', arguments: { text: 'found' } });
    const described = board.call('describe_tool', { names: ['odd__echo'] });
    openGate(folder);
    expect((await call).text).toBe('found');
    expect((await described).text).toContain('odd__echo');
  });

  it('does not wait for a server that cannot have it', async () => {
    const board = await openAtOnce(boardFolder({ tools: [ECHO], mcpServers: { stuck: STUCK } }));
    await eventually(() => board.servers[0]?.state === 'starting');
    const { error } = await board.call('ech', { text: 'x' });
    expect(error).toMatchObject({ code: 'not_found', message: 'There is no tool "ech". Did you mean: echo?' });
    expect(board.servers[0]?.state).toBe('starting');
  });

  it('ends with its own limits', async () => {
    const board = await openAtOnce(boardFolder({ mcpServers: { stuck: STUCK } }));
    const { error } = await board.call('stuck__x', {}, { timeout: 20 });
    expect(error?.code).toBe('timeout');
    expect(error?.message).toContain('The tool "stuck__x" was not there within 20 ms');
    const stop = new AbortController();
    const call = board.call('stuck__x', {}, { signal: stop.signal });
    stop.abort();
    expect((await call).error?.code).toBe('cancelled');
  });

  it('says why the tool is not there when its server fails, and tries the server again next time', async () => {
    const folder = boardFolder({});
    configure(folder, { mcpServers: { odd: brokenServer(folder) } });
    const board = await openAtOnce(folder, { servers: 'cached' });
    const { error, text } = await board.call('odd__echo', { text: 'x' });
    expect(error?.code).toBe('upstream_unavailable');
    expect(text).toContain('The tool "odd__echo" is not on the board. The MCP server "odd"');
    expect(text).toContain('it ended with exit code 7');
    expect(text).not.toContain('hunter2');
    openGate(folder);
    await board.ready({ retry: true });
    expect((await board.call('odd__echo', { text: 'now' })).text).toBe('now');
  });
});

describe('a failure', () => {
  it('is remembered: the next board does not start the server, says so, and does for a call', async () => {
    const folder = boardFolder({});
    configure(folder, { tools: [ECHO], mcpServers: { odd: brokenServer(folder) } });
    const first = await openAtOnce(folder);
    await first.ready();
    await first.close();
    const [file = ''] = readdirSync(join(dataOf(folder), 'mcp'));
    expect(file).toMatch(/^odd-[0-9a-f]{16}\.failed\.json$/);
    const path = join(dataOf(folder), 'mcp', file);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('hunter2');

    const second = await openAtOnce(folder);
    expect(await second.ready()).toMatchObject([{ name: 'odd', state: 'failing', starts: 0, failure: { count: 1 } }]);
    expect(second.diagnostics[0]?.message).toMatch(
      /^has no tools here, and is tried again at [\d:]+\. The MCP server "odd"/,
    );
    openGate(folder);
    expect((await second.call('odd__echo', { text: 'worked' })).text).toBe('worked');
    expect(startsOf(folder)).toHaveLength(2);
    expect(existsSync(path)).toBe(false);
    await second.close();
    expect((await openAtOnce(folder)).registry.has('odd__echo')).toBe(true);
  });

  it.for([['connect'], ['a minute'], ['eager']])('does not hold back a server after: %s', async ([what]) => {
    const folder = boardFolder({});
    const odd = brokenServer(folder);
    configure(folder, { mcpServers: { odd } });
    const first = await openAtOnce(folder);
    await first.ready();
    await first.close();
    openGate(folder);
    if (what === 'a minute') {
      const [name = ''] = readdirSync(join(dataOf(folder), 'mcp'));
      const path = join(dataOf(folder), 'mcp', name);
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), at: Date.now() - 61_000 }));
    }
    const board = await openAtOnce(folder, what === 'eager' ? { eager: true } : {});
    if (what === 'connect') expect(await board.servers[0]?.connect()).toBeUndefined();
    expect(await board.ready()).toEqual([]);
    expect(startsOf(folder)).toHaveLength(2);
  });

  it('leaves a server the tools that it offered before', async () => {
    const folder = boardFolder({});
    configure(folder, { mcpServers: { odd: brokenServer(folder) } });
    openGate(folder);
    const first = await openAtOnce(folder);
    await first.ready();
    await first.close();
    const { rmSync } = await import('node:fs');
    rmSync(join(folder, 'gate'));
    const failing = await openAtOnce(folder, { eager: true });
    expect(failing.registry.has('odd__echo')).toBe(true);
    expect(failing.diagnostics[0]?.message).toContain('does not start; its tools are those that it offered before.');
    await failing.close();
    expect((await openAtOnce(folder)).registry.has('odd__echo')).toBe(true);
  });

  it('is told to listeners', async () => {
    const folder = boardFolder({});
    configure(folder, { mcpServers: { odd: brokenServer(folder) } });
    const board = await openAtOnce(folder);
    const failed = Promise.withResolvers<unknown>();
    board.on('server-failed', failed.resolve);
    expect(await failed.promise).toMatchObject({ server: 'odd', failure: { count: 1 } });
  });
});

describe('what servers offered', () => {
  it('is shared by clients with other environments', async () => {
    const folder = boardFolder({});
    const odd = { ...fixture('odd-server.ts', '--starts', join(folder, 'starts')), env_pass: ['EXTRA_*'] };
    configure(folder, { mcpServers: { odd } });
    const { PATH, HOME, XDG_STATE_HOME } = process.env;
    const shell = await openAtOnce(folder, {
      env: { PATH, HOME, XDG_STATE_HOME, LANG: 'C.UTF-8', TERM: 'xterm', EXTRA_A: '1' },
    });
    expect(await shell.ready()).toEqual([]);
    await shell.close();
    const client = await openAtOnce(folder, { env: { PATH } });
    expect(client.registry.has('odd__echo')).toBe(true);
    expect(startsOf(folder)).toHaveLength(1);
  });

  it.for([
    ['wherever clients start the board', {}, 1],
    ['for a few folders that clients start the board in, where it runs there', { working_dir: '${PEGBOARD_CWD}' }, 2],
  ] as const)('is kept %s', async ([, where, starts]) => {
    const folder = boardFolder({});
    const odd = fixture('odd-server.ts', '--starts', join(folder, 'starts'));
    configure(folder, { ...where, mcpServers: { odd } });
    const file = join(folder, 'pegboard.yaml');
    for (const cwd of [folder, '/', folder]) {
      const board = await openBoard(file, { cwd });
      await board.ready();
      await board.close();
    }
    expect(startsOf(folder)).toHaveLength(starts);
  });
});

/** A program that opens the board of its folder, waits for its servers and stays. */
const PROGRAM = `
  import { openBoard } from '${entryFile('index')}';
  const board = await openBoard('pegboard.yaml');
  const [missing] = process.argv[1] === 'stay' ? [] : await board.ready();
  console.log(JSON.stringify({ names: board.registry.names(), failure: missing?.failure }));
  if (process.argv[1] === 'stay') setInterval(() => {}, 1000);
  else await board.close();`;

describe('several processes', () => {
  it('share one data folder', async () => {
    const folder = boardFolder({});
    configure(folder, { mcpServers: { odd: brokenServer(folder) } });
    const run = (): Promise<{ names: string[]; failure?: { count: number } }> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd: folder });
        child.stdout.once('data', (chunk) => resolve(JSON.parse(String(chunk))));
      });
    const failed = await Promise.all([run(), run(), run()]);
    expect(failed.every(({ failure }) => (failure?.count ?? 0) >= 1)).toBe(true);
    const before = startsOf(folder).length;
    expect((await run()).failure?.count).toBeGreaterThanOrEqual(1);
    expect(startsOf(folder)).toHaveLength(before);
    const files = readdirSync(join(dataOf(folder), 'mcp'));
    expect(files).toEqual([expect.stringMatching(/^odd-[0-9a-f]{16}\.failed\.json$/)]);
  });

  it.runIf(process.platform === 'linux')(
    'leave no server behind that was being asked when they were killed',
    async () => {
      const folder = boardFolder({});
      configure(folder, { mcpServers: { odd: lateServer(folder) } });
      const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, 'stay'], { cwd: folder });
      onTestFinished(() => void child.kill('SIGKILL'));
      const [pid = 0] = await eventually(() => startsOf(folder).length === 1 && startsOf(folder));
      expect(isAlive(pid)).toBe(true);
      child.kill('SIGKILL');
      await eventually(() => !isAlive(pid));
    },
  );
});
