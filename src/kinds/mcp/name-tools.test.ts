import { describe, expect, it } from 'vitest';
import { makePrefixes, type NamedServer, nameTools } from './name-tools.ts';
import type { ToolOverride } from './server-rules.ts';

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;

interface Config {
  readonly prefix?: string;
  readonly rename?: Readonly<Record<string, string>>;
  /** Its tools; undefined before it has answered. */
  readonly tools?: readonly string[];
}

/** Returns the names on the board as `server/tool`, and the reported faults. */
function names(
  configs: Readonly<Record<string, Config>>,
  { order = Object.keys(configs), taken = [] }: { order?: readonly string[]; taken?: readonly string[] } = {},
): {
  readonly names: Record<string, string | undefined>;
  readonly told: string[];
} {
  const prefixes = makePrefixes(order);
  const servers = order.map((server): NamedServer => {
    const { prefix, rename = {}, tools } = configs[server] ?? {};
    const madePrefix = prefixes.get(server) ?? '';
    const overrides = Object.entries(rename).map(([tool, name]): [string, ToolOverride] => [tool, { name }]);
    return {
      server,
      rules: {
        prefix: prefix ?? madePrefix,
        madePrefix,
        isPrefixWritten: prefix !== undefined,
        tools: new Map(overrides),
      },
      offered: tools,
    };
  });
  const all = nameTools(servers, { isTaken: (name) => taken.includes(name), reserved: [] });
  const found = [...all].flatMap(([server, own]) =>
    [...own].map(([tool, chosen]) => ({ key: `${server}/${tool}`, ...chosen })),
  );
  return {
    names: Object.fromEntries(found.map(({ key, name }) => [key, name])),
    told: found.flatMap(({ note }) => note?.message ?? []),
  };
}

const ADVICE = 'Write another name for it, or a prefix for its server, such as';

describe('a name created by the board', () => {
  it('is the name of the server and of the tool', () => {
    expect(names({ memory: { tools: ['read_graph'] } })).toEqual({
      names: { 'memory/read_graph': 'memory__read_graph' },
      told: [],
    });
  });

  it('has only characters that are legal everywhere', () => {
    const { names: made, told } = names({ '@scope/pkg': { tools: ['files.read', 'größe'] } });
    expect(made).toEqual({
      '@scope/pkg/files.read': '_scope_pkg__files_read',
      '@scope/pkg/größe': '_scope_pkg__gr__e',
    });
    expect(told[0]).toBe(
      '"files.read" is called "_scope_pkg__files_read" here: names created by a board have at most 64 of A-Z a-z 0-9 _ -',
    );
  });

  it.each([
    ['a long tool', 'memory', 'x'.repeat(200)],
    ['a long server', 's'.repeat(200), 'read'],
    ['both', 's'.repeat(54), 'x'.repeat(64)],
    ['a server that leaves little room', 's'.repeat(53), 'read_graph'],
    ['nothing legal', '日本', '語'],
  ])('is legal and the same in every order with %s', (_, server, tool) => {
    const other = { tools: [tool, `${tool}y`] };
    const { names: made } = names({ [server]: other, [`${server}z`]: other });
    const all = Object.values(made);
    for (const name of all) expect(name).toMatch(LEGAL);
    expect(new Set(all).size).toBe(4);
    const turned = names({ [server]: other, [`${server}z`]: other }, { order: [`${server}z`, server] });
    expect(turned.names).toEqual(made);
  });

  it('keeps a prefix and a name from the config', () => {
    const configs = {
      memory: { prefix: 'mem.', tools: ['read.graph'], rename: {} },
      files: { tools: ['read', 'write'], rename: { read: 'file.read' } },
      long: { prefix: `${'p'.repeat(60)}.`, tools: ['read'] },
    };
    expect(names(configs).names).toEqual({
      'memory/read.graph': 'mem.read_graph',
      'files/read': 'files__file.read',
      'files/write': 'files__write',
      'long/read': `${'p'.repeat(60)}.read`,
    });
  });
});

describe('two tools with the same preferred name', () => {
  const both = (configs: Readonly<Record<string, Config>>): Record<string, string | undefined> => {
    const forth = names(configs);
    const back = names(configs, { order: Object.keys(configs).toReversed() });
    expect(back.names).toEqual(forth.names);
    expect(back.told.toSorted()).toEqual(forth.told.toSorted());
    expect(new Set(Object.values(forth.names)).size).toBe(Object.keys(forth.names).length);
    return forth.names;
  };

  it('a__b with c, and a with b__c: the longer server keeps it, and both are named', () => {
    const configs = { a: { tools: ['b__c', 'd'] }, a__b: { tools: ['c'] } };
    const made = both(configs);
    expect(made).toMatchObject({ 'a/d': 'a__d', 'a__b/c': 'a__b__c' });
    expect(made['a/b__c']).toMatch(/^a__b_c_[0-9a-f]{8}$/);
    expect(names(configs).told).toEqual([
      `"a__b__c" is also the name of "c" of the server "a__b", so "b__c" is called "${made['a/b__c']}" here. ${ADVICE} "prefix: a-".`,
    ]);
  });

  it('do so whether or not the other server has answered', () => {
    const alone = names({ a: { tools: ['b__c'] }, a__b: {} });
    expect(alone.names).toEqual({ 'a/b__c': both({ a: { tools: ['b__c'] }, a__b: { tools: ['c'] } })['a/b__c'] });
    expect(alone.told[0]).toMatch(/^"a__b__c" looks like a tool of the server "a__b", so "b__c" is called/);
  });

  it('of servers with the same prefix get the names of their servers', () => {
    const configs = { a: { prefix: '', tools: ['echo', 'x'] }, b: { prefix: '', tools: ['echo'] } };
    expect(both(configs)).toEqual({ 'a/echo': 'a__echo', 'a/x': 'x', 'b/echo': 'b__echo' });
    expect(names(configs).told).toEqual([
      `"echo" is also the name of "echo" of the server "b", so "echo" is called "a__echo" here. ${ADVICE} "prefix: a-".`,
      `"echo" is also the name of "echo" of the server "a", so "echo" is called "b__echo" here. ${ADVICE} "prefix: b-".`,
    ]);
  });

  it('of one server are distinguished by a hash', () => {
    const made = both({ s: { tools: ['x.y', 'x_y', 'x/y'] } });
    for (const name of Object.values(made)) expect(name).toMatch(/^s__x_y_[0-9a-f]{8}$/);
  });

  it('a.b and a_b: the server that has the name keeps it', () => {
    const made = both({ 'a.b': { tools: ['c', 'd'] }, a_b: { tools: ['c'] } });
    expect(made['a_b/c']).toBe('a_b__c');
    expect(made['a.b/c']).toMatch(/^a_b_[0-9a-f]{8}__c$/);
    expect(made['a.b/d']).toMatch(/^a_b_[0-9a-f]{8}__d$/);
    const odd = both({ 'a.b': { tools: ['c'] }, 'a b': { tools: ['c'] } });
    for (const name of Object.values(odd)) expect(name).toMatch(/^a_b_[0-9a-f]{8}__c$/);
  });

  it('a_ with b, and a with _b', () => {
    const made = both({ a_: { tools: ['b'] }, a: { tools: ['_b'] } });
    expect(made['a_/b']).toBe('a___b');
    expect(made['a/_b']).toMatch(/^a__b_[0-9a-f]{8}$/);
  });

  it('yield to a name from the config, even before its server has answered', () => {
    const written = { prefix: '', rename: { foo: 'echo' } };
    const brought = { prefix: '', tools: ['echo'] };
    expect(both({ a: { ...written, tools: ['foo'] }, b: brought })).toEqual({ 'a/foo': 'echo', 'b/echo': 'b__echo' });
    expect(names({ a: written, b: brought }).names).toEqual({ 'b/echo': 'b__echo' });
  });

  it("yield to the board's own tools", () => {
    const { names: made, told } = names({ a: { prefix: '', tools: ['echo', 'call_tool'] } }, { taken: ['echo'] });
    expect(made).toEqual({ 'a/echo': 'a__echo', 'a/call_tool': 'a__call_tool' });
    expect(told[0]).toBe(`"echo" is taken, so "echo" is called "a__echo" here. ${ADVICE} "prefix: a-".`);
  });

  it('skip a tool without a free name', () => {
    const { names: made } = names({ a: { tools: ['b__c'] }, a__b: { tools: ['c'] } });
    const taken = [made['a/b__c'] ?? ''];
    const { names: left, told } = names({ a: { tools: ['b__c'] }, a__b: { tools: ['c'] } }, { taken });
    expect(left).toEqual({ 'a/b__c': undefined, 'a__b/c': 'a__b__c' });
    expect(told[0]).toMatch(/^"b__c" is left out: "a__b__c" is also the name of "c" of the server "a__b"\. Write/);
  });
});
