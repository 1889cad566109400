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
