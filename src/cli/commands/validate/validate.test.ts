import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createTestContext } from '../../cli-context.test-helper.ts';
import { runCli } from '../../run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-validate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The first lines of what is told about a file. */
async function told(text: string): Promise<string[]> {
  writeFileSync(join(folder, 'pegboard.yaml'), text);
  const context = createTestContext({ cwd: folder });
  await runCli(['validate'], context);
  return context
    .printed()
    .stdout.split('\n')
    .filter((line) => /^(error|warning|note) /.test(line));
}

it('shows faults of every kind at once, in the order of their lines', async () => {
  expect(
    await told(`agents:
  helper: { tools: [bad, hi, fetch], model: gpt-5.4-mini }
policy:
  tools: { fine: { args: { x: { pattern: '(' } } } }
tools:
  - { type: cli, name: bad, description: B, command: ls, rsk: read }
  - { type: cli, name: hi, description: H, command: echo "a b" }
  - { type: http, name: fetch, description: F, requests: [{ url: 'https://example.com/{{idd}}' }] }
  - { type: mcp, name: far, server: empty }
  - { type: cli, name: fine, description: F, command: ls }
mcpServers:
  wrong: { url: notaurl }
  empty: {}
`),
  ).toEqual(
    [
      'error pegboard.yaml:2:45 agents.helper.model: needs a provider',
      'error pegboard.yaml:4:43 policy.tools.fine.args.x.pattern: ',
      'error pegboard.yaml:6:58 tools[0].rsk: is not a known key.',
      'error pegboard.yaml:7:53 tools[1].command: there is no shell',
      'error pegboard.yaml:8:67 tools[2].requests[0].url: unknown argument "idd".',
      'error pegboard.yaml:12:3 mcpServers.wrong: has a url',
      'error pegboard.yaml:13:3 mcpServers.empty: needs a command',
    ].map((start): unknown => expect.stringContaining(start)),
  );
});

it('names both lines of a tool that stands twice, and so do list and call', async () => {
  const tool = '  - { type: cli, name: twice, description: T, command: echo';
  const warning = 'pegboard.yaml:3:5 tools[1]: the tool "twice" stands in line 2 too; this one is used.';
  expect(await told(`tools:\n${tool} one }\n${tool} two }\n`)).toEqual([`warning ${warning}`]);
  for (const command of [['list'], ['call', 'twice']]) {
    const context = createTestContext({ cwd: folder, env: { PATH: process.env['PATH'] } });
    expect(await runCli(command, context)).toBe(0);
    const { stdout, stderr } = context.printed();
    expect(stderr).toBe(`warning ${warning}\n`);
    expect(stdout).toContain(command[0] === 'call' ? 'two\n' : 'twice');
  }
});

it('warns of values that no call can give, and refuses arguments that stand twice', async () => {
  const args = `
      - { name: n, type: integer, default: x }
      - { name: b, type: boolean, default: 'yes' }
      - { name: mode, enum: [a, b], default: c }
      - { name: level, enum: [1, 2] }
      - { name: words, type: array, enum: [a], default: [a, z] }
      - { name: file, positional: true, flag: -f }
      - { name: n, flag: -n }
      - { name: fine, type: number, enum: [1, 2.5], default: 2.5 }
`;
  expect(
    await told(`tools:\n  - name: t\n    type: cli\n    description: T\n    command: ls\n    args:${args}`),
  ).toEqual(
    [
      '7:44 tools[0].args[0].default: "x" is no integer, so a call without it fails.',
      '8:45 tools[0].args[1].default: "yes" is no boolean, so a call without it fails.',
      '9:46 tools[0].args[2].default: "c" is none of the values of enum, so a call without it fails.',
      '10:24 tools[0].args[3].enum: no call can give 1, which is no text. Say type: integer, or write it in quotes.',
      '11:48 tools[0].args[4].default: "z" is none of the values of enum, so a call without it fails.',
      '12:47 tools[0].args[5].flag: is not used, as a positional value has none. Take flag or positional away.',
    ]
      .map((text) => `warning pegboard.yaml:${text}`)
      .concat(
        'error pegboard.yaml:13:17 tools[0].args[6].name: "n" stands twice, and one value is written in both places. Rename one.',
      ),
  );
});

it('finds arguments in places that are taken, and patterns that are none', async () => {
  const args = `
      - { name: one, stdin: true }
      - { name: two, stdin: true }
      - { name: from, positional: true }
      - { name: to, type: array, positional: true, required: true }
      - { name: odd, pattern: '[a-' }
`;
  expect(
    (
      await told(`tools:\n  - name: t\n    type: cli\n    description: T\n    command: cp\n    args:${args}`)
    ).toSorted(),
  ).toEqual([
    'error pegboard.yaml:11:32 tools[0].args[4].pattern: must be a regular expression: /^(?:[a-)$/u: Range out of order in character class.',
    'error pegboard.yaml:8:29 tools[0].args[1].stdin: only one argument can be that, and "one" is.',
    'warning pegboard.yaml:9:35 tools[0].args[2].positional: "from" may be left out, and "to" behind it may not: a call without "from" has its other values one place earlier. Give it a default, or let it follow.',
  ]);
});

it('tells other commands once what holds for many places', async () => {
  const tools = [1, 2, 3, 4].map(
    (n) =>
      `  - { type: cli, name: clone${n}, description: Clone, command: git clone, args: [{ name: url, positional: true, flag: --url }] }\n`,
  );
  expect(await told(`tools:\n${tools.join('')}`)).toHaveLength(4);
  const context = createTestContext({ cwd: folder, env: { PATH: process.env['PATH'] } });
  expect(await runCli(['search', 'clone'], context)).toBe(0);
  const lines = context.printed().stderr.trim().split('\n');
  expect(lines).toEqual([
    expect.stringContaining('warning pegboard.yaml:2:'),
    'The same holds for 3 other places. See them with: pegboard validate',
  ]);
});

it('reports no fault for a name that is left out', async () => {
  const tools = `  - { type: cli, name: bad, description: B, command: ls, rsk: read, tags: [x] }
  - { type: mcp, name: far, server: wrong }
`;
  const rest = `policy: { tools: { bad: { args: { x: { enum: [a] } } } } }
agents:
  helper: { tools: [bad, far, { tag: x }], agents: [other] }
  other: {}
mcpServers:
  wrong: { command: 5 }
`;
  expect(await told(`tools:\n${tools}${rest}`)).toEqual([
    expect.stringContaining('tools[0].rsk'),
    expect.stringContaining('mcpServers.wrong.command'),
  ]);
  // The name of the third is not known, nor what a misspelt section holds.
  const nameless = '  - { type: cli, description: B, command: ls }\nagents: { a: { tools: [third] } }\n';
  expect(await told(`tools:\n${tools.split('\n', 1)[0]}\n${nameless}`)).toEqual([
    expect.stringContaining('tools[0].rsk'),
    expect.stringContaining('tools[1].name: is required'),
  ]);
  expect(await told('tols: []\nagents: { a: { tools: [third] } }\n')).toEqual([expect.stringContaining('tols')]);
  expect(await told('agents: { a: { agents: [b] }, b: { max_steps: no } }\ntools: []\n')).toEqual([
    expect.stringContaining('agents.b.max_steps'),
  ]);
  expect(
    await told(
      'rag: { collections: { docs: { nope: 1 } } }\ntools: [{ type: rag, name: d, description: D, collection: docs }]\n',
    ),
  ).toEqual([expect.stringContaining('rag.collections.docs.nope')]);
});
