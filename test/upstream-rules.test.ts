// Settings of a config for a server's tools: names, choice, risk, policy, and files written for other clients.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, openBoard, toMcpTools } from '../src/index.ts';
import { boardFolder, fixture, openFolder, openServers, ownNames } from './upstream-boards.test-helper.ts';

const odd = fixture('odd-server.ts');

describe('rules of a server', () => {
  it('choose, rename, tag and describe its tools', async () => {
    const board = await openServers({
      odd: {
        ...odd,
        prefix: 'o_',
        include: ['e*', 'wipe', 'silent'],
        exclude: ['env'],
        rename: { wipe: 'clean' },
        tags: ['odd'],
        category: 'tests',
        timeout: '2s',
        tools: {
          echo: { description: 'Say it again', risk: 'destructive', tags: ['loud'], timeout: 5, title: 'Again' },
        },
      },
    });
    expect(ownNames(board)).toEqual(['o_echo', 'o_clean', 'o_silent']);
    expect(board.registry.get('o_echo')?.metadata).toMatchObject({
      description: 'Say it again',
      displayName: 'Again',
      risk: 'destructive',
      tags: ['odd', 'loud'],
      category: 'tests',
      timeout: 5000,
      source: 'odd',
    });
    expect(board.registry.get('o_clean')?.metadata).toMatchObject({
      timeout: 2000,
      risk: 'destructive',
      tags: ['odd'],
    });
    expect((await board.call('o_echo', { text: 'again' })).text).toBe('again');
    expect(board.diagnostics).toEqual([]);
  });

  it('that name no tool are told about, with the nearest name', async () => {
    const board = await openServers({
      odd: { ...odd, include: ['ecko', 'echo'], exclude: ['nothing*'], tools: { wip: {} } },
    });
    expect(board.diagnostics.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([
      'mcpServers.odd.include: the server offers no tool "ecko". Did you mean "echo"?',
      'mcpServers.odd.exclude: the server offers no tool "nothing*".',
      'mcpServers.odd.tools: the server offers no tool "wip". Did you mean "wipe"?',
    ]);
  });

  it('keep names apart: the server stands before a name that two tools want', async () => {
    const board = await openServers({
      a: { ...odd, prefix: '', include: ['echo'] },
      b: { ...odd, prefix: '', include: ['echo'] },
    });
    expect(ownNames(board)).toEqual(['a__echo', 'b__echo']);
    const advice = 'Write another name for it, or a prefix for its server, such as';
    expect(board.diagnostics).toMatchObject([
      {
        severity: 'warning',
        message: `"echo" is also the name of "echo" of the server "b", so "echo" is called "a__echo" here. ${advice} "prefix: a-".`,
      },
      {
        severity: 'warning',
        message: `"echo" is also the name of "echo" of the server "a", so "echo" is called "b__echo" here. ${advice} "prefix: b-".`,
      },
    ]);
    expect((await board.call('b__echo', { text: 'b' })).text).toBe('b');
  });

  it('keep servers apart whose names are the same in the characters that names have', async () => {
    const board = await openServers({ 'a.b': { ...odd, include: ['echo'] }, a_b: { ...odd, include: ['echo'] } });
    const [prefix = ''] = ownNames(board)[0]?.match(/^a_b_[0-9a-f]{8}__/) ?? [];
    expect(ownNames(board)).toEqual([`${prefix}echo`, 'a_b__echo']);
    expect(board.diagnostics).toMatchObject([
      {
        severity: 'warning',
        path: ['mcpServers', 'a.b'],
        message: `the names of its tools would begin with "a_b__", as those of the server "a_b" do. They begin with "${prefix}" here. Write a prefix to choose it.`,
      },
    ]);
  });

  it("do not let a server pass for the board's own tools", async () => {
    const board = await openServers({ odd: { ...odd, prefix: '', include: ['echo'], rename: { echo: 'call_tool' } } });
    expect(ownNames(board)).toEqual(['odd__call_tool']);
  });
});

describe('a tool of type mcp', () => {
  it('is one tool of a server under a name of its own', async () => {
    const folder = boardFolder({
      mcpServers: { odd: { ...odd, include: [], trust_hints: true } },
      tools: [
        { name: 'repeat', type: 'mcp', server: 'odd', tool: 'echo', tags: ['mine'] },
        { name: 'wipe', type: 'mcp', server: 'odd', description: 'Wipe it all', risk: 'write' },
      ],
    });
    const board = await openFolder(folder);
    expect(ownNames(board)).toEqual(['repeat', 'wipe']);
    expect(board.registry.get('repeat')?.metadata).toMatchObject({
      description: 'Echo, version 0',
      risk: 'read',
      tags: ['mine'],
    });
    expect(board.registry.get('wipe')?.metadata).toMatchObject({ description: 'Wipe it all', risk: 'write' });
    expect((await board.call('repeat', { text: 'x' })).text).toBe('x');
  });

  it('needs a server that is there, and a tool that it offers', async () => {
    const tool = { name: 'x', type: 'mcp', server: 'od', description: 'X' };
    const folder = boardFolder({ mcpServers: { odd }, tools: [tool] });
    await expect(openFolder(folder)).rejects.toThrow(/tools\[0\]\.server: there is no server "od"\. Use one of: odd\./);
    writeFileSync(
      join(folder, 'pegboard.yaml'),
      JSON.stringify({ mcpServers: { odd }, tools: [{ ...tool, server: 'odd', tool: 'ecko' }] }),
    );
    const board = await openFolder(folder);
    expect(board.diagnostics).toMatchObject([
      { severity: 'warning', message: 'the server "odd" offers no tool "ecko". Did you mean: echo?' },
    ]);
  });
});

describe('a policy', () => {
  it('holds for tools of servers as for all others', async () => {
    const folder = boardFolder({
      mcpServers: { odd: { ...odd, include: ['echo', 'wipe', 'env'], trust_hints: true } },
      policy: { deny: [{ risk: 'destructive' }], tools: { odd__echo: { args: { text: { pattern: '[a-z]+' } } } } },
    });
    const board = await openFolder(folder);
    expect(ownNames(board)).toEqual(['odd__echo', 'odd__env']);
    expect((await board.call('odd__echo', { text: 'abc' })).ok).toBe(true);
    expect((await board.call('odd__echo', { text: '123' })).error?.code).toBe('invalid_arguments');
  });
});

describe('the risk of a tool', () => {
  it('is not lowered by the hints of a server without trust_hints', async () => {
    const policy = { approval: { global: 'write' } };
    const board = await openFolder(boardFolder({ mcpServers: { odd }, policy }));
    // It says that it only reads.
    expect((await board.call('odd__echo', { text: 'x' })).error?.code).toBe('approval_required');
    expect(board.diagnostics).toMatchObject([
      {
        severity: 'note',
        message:
          '1 tool says that it only reads, which is not trusted: policies treat them as write. Set trust_hints: true to trust it, false to keep this, or state their risk.',
      },
    ]);
    const served = toMcpTools(board.registry.getAll()).tools.find(({ name }) => name === 'odd__echo');
    // Clients are told what the server says; what they make of it is theirs.
    expect(served?.annotations).toEqual({ readOnlyHint: true });
    const readers = await openFolder(boardFolder({ mcpServers: { odd }, policy: { allow: [{ risk: 'read' }] } }));
    expect(ownNames(readers)).toEqual([]);
    const trusting = await openFolder(boardFolder({ mcpServers: { odd: { ...odd, trust_hints: true } }, policy }));
    expect((await trusting.call('odd__echo', { text: 'x' })).text).toBe('x');
    const doubting = await openFolder(boardFolder({ mcpServers: { odd: { ...odd, trust_hints: false } }, policy }));
    expect([...trusting.diagnostics, ...doubting.diagnostics]).toEqual([]);
    const said = { odd: { ...odd, tools: { echo: { risk: 'read' } } } };
    const knowing = await openFolder(boardFolder({ mcpServers: said, policy }));
    expect((await knowing.call('odd__echo', { text: 'x' })).text).toBe('x');
  });

  it('shows in the lock when the config starts to believe the server', async () => {
    const folder = boardFolder({ mcpServers: { odd: { ...odd, include: ['echo', 'wipe', 'grow'] } } });
    (await openFolder(folder)).lock.write();
    const trusting = { odd: { ...odd, include: ['echo', 'wipe', 'grow'], trust_hints: true } };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ mcpServers: trusting }));
    const { lock } = await openFolder(folder);
    expect(lock.changes.map(({ name, lines }) => [name, ...lines])).toEqual([
      ['odd__echo', 'risk: (nothing) → "read"'],
      ['odd__grow', 'risk: (nothing) → "write"'],
    ]);
  });
});

describe('an entry', () => {
  it('written for another client loads as it is', async () => {
    const board = await openServers({
      claude: { type: 'stdio', ...odd, env: {} },
      cline: { ...odd, disabled: false, autoApprove: ['echo'], alwaysAllow: [], disabledTools: ['wipe'], trust: true },
      code: {
        type: 'http',
        url: 'http://127.0.0.1:9/mcp',
        headers: {},
        gallery: 'x',
        version: '1',
        dev: {},
        disabled: true,
      },
      off: { command: 'no-such-program', enabled: false },
    });
    expect(board.diagnostics).toEqual([]);
    expect(board.servers.map(({ name }) => name)).toEqual(['claude', 'cline']);
    expect(board.registry.has('claude__wipe')).toBe(true);
    expect(board.registry.has('cline__wipe')).toBe(false);
  });

  it('comes from the settings of a client too, which are passed over but for their servers', async () => {
    const folder = boardFolder({ mcpServers: { odd }, globalShortcut: 'Ctrl+Space', preferences: {} });
    const claude = await openFolder(folder, { servers: 'cached' });
    expect(claude.servers).toMatchObject([{ name: 'odd' }]);
    expect(claude.diagnostics.filter(({ path }) => path[0] !== 'mcpServers')).toMatchObject([
      { severity: 'note', path: ['globalShortcut'], message: 'is a setting of an MCP client and is ignored.' },
      { severity: 'note', path: ['preferences'] },
    ]);
    writeFileSync(
      join(folder, 'pegboard.yaml'),
      JSON.stringify({ inputs: [], servers: { odd: { type: 'stdio', ...odd } } }),
    );
    expect((await openFolder(folder, { servers: 'cached' })).servers).toMatchObject([{ name: 'odd' }]);
  });

  it.for([
    [{}, 'needs a command to start, or the url of a server that runs already.'],
    [{ command: 'x', url: 'http://x' }, 'has both command and url. Keep one of them.'],
    // Taken literally, all users would be one.
    [{ url: 'http://x/?of={{user}}' }, 'has {{user}} in url. It can stand in args, env, cwd and headers.'],
    [{ command: 'run-{{ user }}' }, 'has {{user}} in command. It can stand in args, env, cwd and headers.'],
    [{ url: 'ftp://x' }, 'has a url that is no http: or https: address.'],
    [{ command: 'x', type: 'sse' }, 'is of type sse, which has a url and no command.'],
    [{ command: 'x', comand: 'y' }, 'is not a known key. Did you mean "command"?'],
    [{ command: 'x', lock: 'maybe' }, 'must be one of "deny", "warn", "approve"; got "maybe".'],
  ] as const)('%j is refused', async ([entry, message]) => {
    const folder = boardFolder({ mcpServers: { bad: entry } });
    const opening = openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(message);
  });

  it('sees only the environment it is given', async () => {
    const board = await openServers(
      { odd: { ...odd, env: { OWN: 'yes' }, env_pass: ['PASSED_*'] } },
      { env: { PATH: process.env['PATH'], PASSED_ON: '1', PRIVATE: '2' } },
    );
    const seen = JSON.parse((await board.call('odd__env')).text);
    expect(seen).toMatchObject({ OWN: 'yes', PASSED_ON: '1' });
    expect(seen).not.toHaveProperty('PRIVATE');
  });
});
