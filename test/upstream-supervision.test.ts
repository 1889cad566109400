// Servers that crash, flood, lie or never answer: the board goes on, and nothing of them stays behind.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, isAlive } from '../src/platform/process/spawners.test-helper.ts';
import { boardFolder, fixture, openFolder, openServers, ownNames, readStarts } from './upstream-boards.test-helper.ts';
import { entryFile } from './cli-program.test-helper.ts';

const SECRET = { SECRET_TOKEN: 'hunter2hunter2' };

describe('a server that crashes', () => {
  it('fails the calls in flight with its last words, comes back, and leaves others alone', async () => {
    const other = fixture('odd-server.ts');
    const board = await openServers({ odd: { ...fixture('odd-server.ts'), env: SECRET }, other });
    const { pid } = board.servers[1] ?? {};
    const [waiting, crash] = await Promise.all([board.call('odd__slow'), board.call('odd__crash')]);
    for (const { error, text } of [waiting, crash]) {
      expect(error?.code).toBe('upstream_unavailable');
      expect(error?.recoverable).toBe(true);
      expect(text).toContain('The MCP server "odd"');
      expect(text).toContain('is not available: it ended with exit code 9.');
      expect(text).toContain('about to fall over');
      expect(text).not.toContain('hunter2');
    }
    expect((await board.call('odd__echo', { text: 'back' })).text).toBe('back');
    expect(board.servers[0]?.starts).toBe(2);
    expect(board.servers[1]).toMatchObject({ pid, starts: 1 });
  });

  it('is a warning while it cannot start, waits longer each time, and works once it can', async () => {
    const folder = boardFolder({});
    const gate = join(folder, 'gate');
    const starts = join(folder, 'starts');
    const odd = {
      ...fixture('odd-server.ts', '--crash-until', gate, '--starts', starts),
      env: SECRET,
      protocol: '2025-11-25',
    };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ mcpServers: { odd } }));
    writeFileSync(gate, '');
    await (await openFolder(folder)).close();
    const { rmSync } = await import('node:fs');
    rmSync(gate);
    const board = await openFolder(folder);
    const failures = await Promise.all([
      board.call('odd__echo', { text: 'a' }),
      board.call('odd__echo', { text: 'b' }),
    ]);
    for (const { error, text } of failures) {
      expect(error?.code).toBe('upstream_unavailable');
      expect(text).toContain('it ended with exit code 7');
      expect(text).not.toContain('hunter2');
    }
    // One start for both; the next one waits, and the file is there by then.
    expect(readStarts(starts)).toHaveLength(2);
    writeFileSync(gate, '');
    expect((await board.call('odd__echo', { text: 'now' })).text).toBe('now');
    expect(readStarts(starts)).toHaveLength(3);
  });

  it('does not keep the board from opening', async () => {
    const board = await openServers({
      gone: { command: 'no-such-program-anywhere' },
      broken: { command: process.execPath, args: ['-e', 'console.error("password=hunter2"); process.exit(1)'] },
      mute: { ...fixture('odd-server.ts', '--mute'), start_timeout: '500ms' },
      odd: fixture('odd-server.ts'),
    });
    expect(ownNames(board).every((name) => name.startsWith('odd__'))).toBe(true);
    expect(board.diagnostics.map(({ severity, path }) => [severity, path.join('.')])).toEqual([
      ['warning', 'mcpServers.gone'],
      ['warning', 'mcpServers.broken'],
      ['warning', 'mcpServers.mute'],
    ]);
    const [gone, broken, mute] = board.diagnostics.map(({ message }) => message);
    expect(gone).toContain('The command "no-such-program-anywhere" was not found in PATH.');
    expect(broken).toContain('password=[redacted]');
    expect(mute).toContain('it was not ready within 0.5 s (start_timeout)');
  });
});

describe('a server that does not start any more, while its tools are known', () => {
  it.for([
    ['hangs', { end: 'exec sleep 1000', limit: '500ms', reason: 'it was not ready within 0.5 s (start_timeout).' }],
    ['ends', { end: 'exit 3', limit: '30s', reason: 'it ended with exit code 3.' }],
  ] as const)('says why when it %s, also past the time of the call', async ([, { end, limit, reason }]) => {
    const { command, args } = fixture('odd-server.ts');
    const script = `[ -e down ] || exec "$0" "$@"; echo "no database at db:5432" >&2; ${end}`;
    const odd = { command: 'sh', args: ['-c', script, command, ...[args].flat()], timeout: '100ms' };
    const folder = boardFolder({ mcpServers: { odd } });
    await (await openFolder(folder)).close();
    writeFileSync(
      join(folder, 'pegboard.yaml'),
      JSON.stringify({ mcpServers: { odd: { ...odd, start_timeout: limit } } }),
    );
    writeFileSync(join(folder, 'down'), '');
    const board = await openFolder(folder, { servers: 'cached' });
    const { error } = await board.call('odd__echo', { text: 'x' });
    expect(error?.code).toBe('upstream_unavailable');
    expect(error?.message).toContain(`is not available: ${reason}`);
    expect(error?.message).toContain('no database at db:5432');
  });
});

describe('a hostile server', () => {
  it.for([
    ['twice', 'first'],
    ['wrong-id', 'right'],
    ['garbage', 'after garbage'],
    ['stderr-flood', 'after the flood'],
  ])('that answers %s is understood', async ([tool, text]) => {
    const board = await openServers({ odd: fixture('odd-server.ts') });
    expect(await board.call(`odd__${tool}`)).toMatchObject({ ok: true, text });
    expect((await board.call('odd__echo', { text: 'still there' })).text).toBe('still there');
  });

  it('that never answers is cancelled at the end of the call', async () => {
    const board = await openServers({ odd: { ...fixture('odd-server.ts'), timeout: '200ms' } });
    expect((await board.call('odd__silent')).error?.code).toBe('timeout');
    expect((await board.call('odd__echo', { text: 'x' })).ok).toBe(true);
  });

  it('that floods its output is stopped, with a clear word', async () => {
    const board = await openServers({ odd: fixture('odd-server.ts') });
    const { pid = 0 } = board.servers[0] ?? {};
    const { error } = await board.call('odd__flood');
    expect(error?.code).toBe('upstream_unavailable');
    expect(error?.message).toContain('it floods its standard output with what is no MCP message, and was stopped.');
    await eventually(() => !isAlive(pid));
  });

  it('that nests without end is refused', async () => {
    const board = await openServers({ odd: fixture('odd-server.ts') });
    const { error } = await board.call('odd__deep');
    expect(error?.message).toContain('nested more than 256 levels deep');
  });

  it('that answers more than a message may hold is refused, and goes on', async () => {
    const board = await openServers({ odd: { ...fixture('odd-server.ts'), max_frame: 100_000 } });
    const { error } = await board.call('odd__large');
    expect(error?.message).toMatch(/it sent a message of 5,000,\d+ bytes, more than the 100,000 of max_frame/);
    expect((await board.call('odd__echo', { text: 'x' })).ok).toBe(true);
  });

  it.for([
    ['endless', 'its list of tools has more than 1000 pages'],
    ['circle', 'its list of tools goes round in a circle: a cursor came twice'],
    ['huge', 'it offers more than 10,000 tools'],
  ])('whose list is %s has no tools', async ([list = '', message]) => {
    const board = await openServers({ odd: fixture('odd-server.ts', '--list', list) });
    expect(board.registry.size).toBe(0);
    expect(board.diagnostics[0]?.message).toContain(message);
  });

  it('whose list is half broken has the other half', async () => {
    const board = await openServers({ odd: fixture('odd-server.ts', '--list', 'bad') });
    expect(ownNames(board)).toEqual(['odd__good', 'odd__odd_name_x', 'odd__s']);
    expect(board.diagnostics.map(({ message }) => message)).toEqual([
      'the tool "?" has no name of 1 to 256 characters and is left out.',
      'the tool "none" has no inputSchema and is left out.',
      'it offers "good" twice; the first is used.',
      '"odd/name x" is called "odd__odd_name_x" here: names created by a board have at most 64 of A-Z a-z 0-9 _ -',
      'parts of its schemas are not understood, and not checked: "s" (type must be "object"; got "string").',
    ]);
  });
});

describe('no server stays behind', () => {
  it('when the board is closed, however stubborn it is', async () => {
    const board = await openServers({ odd: fixture('odd-server.ts', '--stubborn') });
    const { pid = 0 } = board.servers[0] ?? {};
    expect(isAlive(pid)).toBe(true);
    await board.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('when the board is closed while it starts', async () => {
    const folder = boardFolder({
      mcpServers: { odd: { ...fixture('odd-server.ts', '--starts', 'starts', '--mute-when', 'muted'), cwd: '.' } },
    });
    await (await openFolder(folder)).close();
    writeFileSync(join(folder, 'muted'), '');
    const board = await openFolder(folder);
    const call = board.call('odd__echo', { text: 'too late' });
    await eventually(() => readStarts(join(folder, 'starts')).length === 2);
    await board.close();
    expect((await call).error?.code).toBe('upstream_unavailable');
    expect(isAlive(readStarts(join(folder, 'starts'))[1] ?? 0)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('when the board is killed with -9', async () => {
    const folder = boardFolder({ mcpServers: { odd: fixture('odd-server.ts', '--stubborn', '--starts', 'starts') } });
    const program = `
      import { openBoard } from '${entryFile('index')}';
      const board = await openBoard('pegboard.yaml');
      await board.call('odd__echo', { text: 'x' });
      console.log('ready');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const [pid = 0] = readStarts(join(folder, 'starts'));
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGKILL');
    expect(await eventually(() => !isAlive(pid))).toBe(true);
  });
});
