import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSONC_FORMAT } from './jsonc-format.ts';
import { type FileFormat, putServer } from './server-file.ts';
import { restoreServers, takeServers } from './take-servers.ts';
import { TOML_FORMAT } from './toml-format.ts';

const entry = { name: 'board', value: { command: 'node', args: ['cli.js', 'serve'] } };

interface Case {
  readonly format: FileFormat;
  readonly section: readonly string[];
  readonly names: readonly string[];
  readonly isAdded?: boolean;
}

/** Takes servers, changes the text, and restores them. */
function roundTrip(text: string, { format, section, names, isAdded = true }: Case, change = (now: string) => now) {
  const taken = takeServers(format, text, { section, names: new Set(names), entry: isAdded ? entry : undefined });
  const changed = change(taken.text);
  const { parts, placed } = taken;
  const own = new Set(isAdded ? [entry.name] : []);
  const inSection = format.layout(changed, section)?.parts.flatMap(({ server }) => server ?? []) ?? [];
  const occupied = new Set(inSection.filter((name) => !own.has(name)));
  return { taken: taken.text, restored: restoreServers(format, changed, { section, parts, placed, own, occupied }) };
}

const JSON_TEXTS = {
  'several lines': '{\n  "a": 1,\n  "mcpServers": {\n    "one": { "command": "x" },\n    "two": {}\n  }\n}\n',
  'one line': '{"mcpServers":{"one":{},"two":{"a":[1,-2,"}"]}},"b":2}',
  'spaces on one line': '{ "mcpServers": { "one": {}, "two": {} } }',
  comments:
    '// top\n{\n\t"mcpServers": {\n\t\t// about one\n\t\t"one": { "command": "x" /* y */ }, // behind one\n\t\t// about two\n\t\t"two": {}, // behind two\n\t\t// end\n\t},\n\t// last\n}\n',
  'Windows lines': '{\r\n  "mcpServers": {\r\n    "one": {},\r\n    "two": {}\r\n  }\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "mcpServers": {\n    "one": {},\n    "two": {}\n  }\n}',
  'brackets in comments':
    '{\n  "a": 1, // see [docs] }\n  "mcpServers": {\n    "one": {}, /* } */ /* ] */\n    "two": { "b": 2, /* , } */ "c": [3 /* ] */] }\n  }\n}\n',
  'commas on lines of their own': '{\n  "mcpServers": {\n    "one": {}\n  , "two": {} // 2\n  , "three": {}\n  }\n}\n',
  'names with escapes': '{ "mcp\\u0053ervers": { "\\u006fne": {}, "two": {} } }',
};
const TOML_TEXTS = {
  tables:
    'model = "x"\n\n[mcp_servers.one]\ncommand = "x" # c\n\n[mcp_servers.one.env]\nA = "b"\n\n# about two\n[mcp_servers.two]\nargs = [\n  "]", # ]\n]\n\n[tui]\ntheme = "y"\n',
  'the end of the file':
    '[mcp_servers.one]\ncommand = """a\n[mcp_servers.no]\n"""\n[mcp_servers."two"]\ncommand = \'x\'',
  'inline tables':
    '[mcp_servers]\none = { command = "x" } # 1\nother = { command = "y" }\n# about two\ntwo = { command = "z" }\n\n[tui]\na = 1\n',
  'dotted keys': 'mcp_servers.one.command = "x"\nmcp_servers.two.command = "z"\nb = 1\n\n[tui]\na = 1\n',
  'Windows lines': '[mcp_servers.one]\r\ncommand = "x"\r\n\r\n[mcp_servers.two]\r\ncommand = "y"\r\n',
  comments: '# top\n\n[mcp_servers.one]\ncommand = "x"\n\n# between\n\n[mcp_servers.two]\ncommand = "y"\n# end\n',
};

describe.for([
  ...Object.entries(JSON_TEXTS).map(([name, text]) => [`JSON, ${name}`, JSONC_FORMAT, 'mcpServers', text] as const),
  ...Object.entries(TOML_TEXTS).map(([name, text]) => [`TOML, ${name}`, TOML_FORMAT, 'mcp_servers', text] as const),
])('%s', ([, format, key, text]) => {
  it.for([
    [['one', 'two'], true],
    [['one'], true],
    [['two'], true],
    [[], true],
    [['one', 'two'], false],
    [['one'], false],
    [['two'], false],
  ] as const)('restores every byte after taking %j, with an entry: %j', ([names, isAdded]) => {
    const { taken, restored } = roundTrip(text, { format, section: [key], names, isAdded });
    expect(restored).toBe(text);
    // Each value is where it belongs meanwhile.
    const before = format.parse(text) as Record<string, Record<string, unknown>>;
    const kept = Object.entries(before[key] ?? {}).filter(([name]) => !names.some((one) => one === name));
    const now = format.parse(taken) as typeof before;
    const servers = Object.fromEntries([...kept, ...(isAdded ? [[entry.name, entry.value]] : [])]);
    expect({ ...now, [key]: now[key] ?? {} }).toEqual({ ...before, [key]: servers });
  });
});

it.for([
  ['{}', ['mcpServers']],
  ['{ }\n', ['mcpServers']],
  ['{\n  "mcpServers": {}\n}\n', ['mcpServers']],
  ['{\n  "mcpServers": {\n  }\n}\n', ['mcpServers']],
  ['{\n  "mcpServers": {\n    // none yet\n  }\n}\n', ['mcpServers']],
  ['{\n  "a": 1 // one\n}\n', ['mcpServers']],
  ['{\n  "a": 1, // one\n}\n', ['mcpServers']],
])('adds an entry to %j and removes it again', ([text = '', section]) => {
  const { taken, restored } = roundTrip(text as string, {
    format: JSONC_FORMAT,
    section: section as string[],
    names: [],
  });
  expect(JSONC_FORMAT.parse(taken)).toMatchObject({ mcpServers: { board: entry.value } });
  expect(restored).toBe(text);
});

it.for(['model = "x"', 'model = "x"\n', '# only a comment\n', '[tui]\na = 1\n# end\n'])(
  'adds a table to %j and removes it again',
  (text) => {
    const { taken, restored } = roundTrip(text, { format: TOML_FORMAT, section: ['mcp_servers'], names: [] });
    expect(TOML_FORMAT.parse(taken)).toMatchObject({ mcp_servers: { board: entry.value } });
    expect(restored).toBe(text);
  },
);

it('keeps what was added, changed and removed beside the entry', () => {
  const text =
    '{\n  "theme": "dark", // mine\n  "mcpServers": {\n    // first\n    "one": {},\n    "two": {}\n  }\n}\n';
  const wanted = { format: JSONC_FORMAT, section: ['mcpServers'], names: ['one', 'two'] };
  const { restored } = roundTrip(text, wanted, (now) =>
    putServer(JSONC_FORMAT, now.replace('"dark", // mine', '"light", // ours').replace('// first', '// 1st'), {
      section: ['mcpServers'],
      server: { name: 'new', value: { command: 'n' } },
    }),
  );
  expect(restored).toBe(
    '{\n  "theme": "light", // ours\n  "mcpServers": {\n    // 1st\n    "one": {},\n    "two": {},\n    "new": {\n      "command": "n"\n    }\n  }\n}\n',
  );
});

it('keeps a server that got the name of a taken one', () => {
  const text = '{\n  "mcpServers": {\n    "one": {}, // 1\n    "two": { "a": 2 } // 2\n  }\n}\n';
  const put = (name: string) => (now: string) =>
    putServer(JSONC_FORMAT, now, { section: ['mcpServers'], server: { name, value: { mine: true } } });
  const wanted = { format: JSONC_FORMAT, section: ['mcpServers'], names: ['one', 'two'] };
  const parse = (restored: string): unknown => JSONC_FORMAT.parse(restored);
  expect(parse(roundTrip(text, wanted, put('one')).restored)).toEqual({
    mcpServers: { one: { mine: true }, two: { a: 2 } },
  });
  expect(parse(roundTrip(text, wanted, put('two')).restored)).toEqual({ mcpServers: { one: {}, two: { mine: true } } });
});

it('restores tables above keys that were added where they stood', () => {
  const text = '[a]\nx = 1\n\n[mcp_servers.one]\ncommand = "x"\n';
  const wanted = { format: TOML_FORMAT, section: ['mcp_servers'], names: ['one'], isAdded: false };
  const { restored } = roundTrip(text, wanted, (now) => now.replace('x = 1\n', 'x = 1\ny = 2\n'));
  expect(TOML_FORMAT.parse(restored)).toEqual({ a: { x: 1, y: 2 }, mcp_servers: { one: { command: 'x' } } });
});

it('escapes paths of Windows', () => {
  const value = {
    command: 'C:\\Program Files\\nodejs\\node.exe',
    args: ['C:\\new\\table\\cli.js', 'serve'],
    env: { 'a b': '"' },
  };
  for (const format of [JSONC_FORMAT, TOML_FORMAT]) {
    const text = putServer(format, '', { section: ['servers'], server: { name: 'my board', value } });
    expect(format.parse(text)).toEqual({ servers: { 'my board': value } });
  }
});

describe('any text', () => {
  const BETWEEN_JSON = ['', ' ', '\n  ', '\r\n', ' /* c, } */ ', ' // x, "y": {\n', '\n// ]\n  ', '/*a*/'];
  const VALUES_JSON = ['{}', '-2', '"x}"', '[1, {"a": 2}, ]', '{"c": 1, /*,*/ "d": ["//", "\\"{"] }', 'null'];
  const BETWEEN_TOML = ['\n', '\n\n', '\n# c [x]\n', '\n\n# d\n\n', ' # e\n', '\r\n'];
  const VALUES_TOML = [
    'a = "x"',
    'a = [\n 1, # ]\n 2\n]',
    'a = { A = "]" }',
    'a = """\n[mcp_servers.z]\n"""',
    "a = 'y' ",
  ];
  const NAMES = ['one', 'two', 'three', 'four'];
  const servers = (values: readonly string[], between: readonly string[]) =>
    fc.array(
      fc.record({ value: fc.constantFrom(...values), gap: fc.constantFrom(...between), isTaken: fc.boolean() }),
      {
        maxLength: NAMES.length,
      },
    );
  const namesOf = (parts: readonly { readonly isTaken: boolean }[]): string[] =>
    NAMES.filter((_, index) => parts[index]?.isTaken === true);

  it('of JSON is restored to the byte', () => {
    const between = fc.constantFrom(...BETWEEN_JSON);
    fc.assert(
      fc.property(servers(VALUES_JSON, BETWEEN_JSON), between, between, fc.boolean(), (parts, lead, gap, isAdded) => {
        const members = parts.map(
          (part, index) => `${gap}"${NAMES[index]}"${lead}:${part.gap}${part.value}${part.gap}`,
        );
        const text = `${lead}{${gap}"mcpServers":${lead}{${members.join(`,${lead}`)}}, "b": {}${gap}}${lead}`;
        const wanted = { format: JSONC_FORMAT, section: ['mcpServers'], names: namesOf(parts), isAdded };
        expect(roundTrip(text, wanted).restored).toBe(text);
      }),
    );
  });

  it('of TOML is restored to the byte', () => {
    const between = fc.constantFrom(...BETWEEN_TOML);
    fc.assert(
      fc.property(servers(VALUES_TOML, BETWEEN_TOML), between, fc.boolean(), (parts, lead, isAdded) => {
        const tables = parts.map((part, index) => `[mcp_servers.${NAMES[index]}]${lead}${part.value}${part.gap}`);
        const text = `k = 1${lead}${tables.join('')}[last]${lead}l = 1`;
        const wanted = { format: TOML_FORMAT, section: ['mcp_servers'], names: namesOf(parts), isAdded };
        expect(roundTrip(text, wanted).restored).toBe(text);
      }),
    );
  });
});
