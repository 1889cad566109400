import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createTestContext } from '../../shared/cli-context.test-helper.ts';
import { runCli } from '../../run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-validate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the first lines of the report about a file. */
async function told(text: string, env: Record<string, string> = {}): Promise<string[]> {
  writeFileSync(join(folder, 'pegboard.yaml'), text);
  const context = createTestContext({ cwd: folder, env });
  await runCli(['validate'], context);
  return context
    .printed()
    .stdout.split('\n')
    .filter((line) => /^(error|warning|note) /.test(line));
}

it('reports faults of every kind at once, in the order of their lines', async () => {
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

it('names both lines of a duplicate tool, as do list and call', async () => {
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

it('warns about values that no call can have, and refuses duplicate arguments', async () => {
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
      '7:44 tools[0].args[0].default: "x" is not an integer, so a call without it fails.',
      '8:45 tools[0].args[1].default: "yes" is not a boolean, so a call without it fails.',
      '9:46 tools[0].args[2].default: "c" is not in enum, so a call without it fails.',
      '10:24 tools[0].args[3].enum: no call can give 1, which is not a text. Write type: integer, or put it in quotes.',
      '11:48 tools[0].args[4].default: "z" is not in enum, so a call without it fails.',
      '12:47 tools[0].args[5].flag: is not used, as a positional value has none. Remove flag or positional.',
    ]
      .map((text) => `warning pegboard.yaml:${text}`)
      .concat(
        'error pegboard.yaml:13:17 tools[0].args[6].name: "n" occurs twice, and one value is written in both places. Rename one.',
      ),
  );
});

it('finds arguments in occupied places, and invalid patterns', async () => {
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
    'warning pegboard.yaml:9:35 tools[0].args[2].positional: "from" is optional, but "to" after it is required: in a call without "from" the other values move up. Give it a default, or put it last.',
  ]);
});

it('treats words that an option replaces as optional', async () => {
  const args = `
      - { name: type, positional: true }
      - { name: name, positional: true }
      - { name: label, type: array, positional: true, required: true }
      - { name: filename }
`;
  const text = `tools:\n  - name: t\n    type: cli\n    description: T\n    command: kubectl label\n    args:${args}`;
  expect(await told(text)).toHaveLength(2);
  expect(await told(`${text}    one_of: [[filename, type]]\n`)).toEqual([]);
});

it('tells other commands once about faults in many places', async () => {
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
    'The same applies to 3 other places. See them with: pegboard validate',
  ]);
});

it('reports no fault for an omitted name', async () => {
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
  // The name of the third is unknown, and so are the contents of a misspelt section.
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

it('reports keys and groups of arguments without effect', async () => {
  expect(
    await told(`tools:
  - type: cli
    name: flat
    description: F
    command: echo
    args: [{ name: a }, { name: b }]
    exclusive: [a, b]
`),
  ).toEqual([
    'error pegboard.yaml:7:5 tools[0].exclusive: is a list of groups, each a list of its own: write [[a, b]].',
  ]);
  expect(
    await told(`tools:
  - type: cli
    name: t
    description: F
    command: echo
    args: [{ name: a, join: ',', required: true }, { name: b }, { name: c, type: array, pair: ':' }]
    exclusive: [[a, b]]
    one_of: [[a, c]]
    together: [[a, c]]
  - type: cli
    name: u
    description: F
    command: echo
    args: [{ name: a, required: true }, { name: b, required: true }]
    exclusive: [[a, b]]
`),
  ).toEqual([
    'warning pegboard.yaml:6:30 tools[0].args[0].join: has no effect for type: string. It is for several values: use type: array, or split for one text with several values.',
    'warning pegboard.yaml:6:96 tools[0].args[2].pair: has no effect for type: array. It is for type: object.',
    'warning pegboard.yaml:7:17 tools[0].exclusive[0]: "a" is required, so no call can give "b". To require one of them, remove required and add one_of.',
    'warning pegboard.yaml:8:14 tools[0].one_of[0]: "a" is required, so every call gives one. Remove required, or the group.',
    'warning pegboard.yaml:9:16 tools[0].together[0]: "a" is required, so every call has to give "c". Make them required too.',
    'error pegboard.yaml:15:17 tools[1].exclusive[0]: "a" and "b" are required, and a call may give only one: every call fails. Remove required, or the group.',
  ]);
});

it('warns once about a program that is missing on this machine, and how to install it', async () => {
  const tool = (name: string, command: string): string =>
    `  - { type: cli, name: ${name}, description: T, command: ${command} }\n`;
  const text = `tools:\n${tool('a', 'rg')}${tool('b', 'rg x')}${tool('c', './gone.sh')}${tool('d', './here.sh')}`;
  writeFileSync(join(folder, 'here.sh'), '#!/bin/sh\n', { mode: 0o755 });
  expect(await told(text, { PATH: folder })).toEqual([
    expect.stringMatching(
      /^warning pegboard\.yaml:2:5 tools\[0\]: the program "rg" \(of 2 tools\) is not in PATH on this machine, so calls fail\. Install it/,
    ),
    'warning pegboard.yaml:4:5 tools[2]: the program "./gone.sh" does not exist or is not executable on this machine, so calls fail. Check the path.',
  ]);
});
