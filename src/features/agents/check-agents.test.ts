import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ConfigError } from '../../load/diagnostics/diagnostic.ts';
import { openBoard } from '../../open-board.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-agents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function faultsOf(agents: string): Promise<string[]> {
  const file = join(folder, 'pegboard.yaml');
  const tools =
    'tools:\n  - { name: git_log, type: cli, description: Log, command: git log, tags: [vcs], category: dev, risk: read }\n';
  writeFileSync(join(folder, 'prompt.md'), 'You help.');
  writeFileSync(file, `${tools}agents:\n${agents}`);
  try {
    await (await openBoard(file, { cwd: folder, env: {} })).close();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').filter((line) => line.startsWith('pegboard.yaml'));
  }
}

it('accepts valid agents', async () => {
  expect(
    await faultsOf(`  helper:
    provider: openai
    model: gpt-5.4-mini
    system_file: prompt.md
    tools: [git_log, 'git_*', { tag: vcs }]
    pinned: [git_log]
    agents: [other]
  other: { tool_choice: { tool: git_log }, approval: write, prices: { input: 1, output: 2 } }
`),
  ).toEqual([]);
});

it('reports every fault with its place', async () => {
  expect(
    await faultsOf(`  helper:
    max_step: 3
    provider: opnai
`),
  ).toEqual([
    'pegboard.yaml:5:5 agents.helper.max_step: is not a known key. Did you mean "max_steps"?',
    expect.stringContaining('pegboard.yaml:6:15 agents.helper.provider: must be one of'),
  ]);
  expect(
    await faultsOf(`  helper:
    tools: [git_lgo]
    pinned: [git_push]
    agents: [othr, self]
    system: hi
    system_file: prompt.md
  other: { provider: openai-compatible, model: m }
  self: { agents: [second], model: m }
  second: { agents: [self] }
`),
  ).toEqual([
    'pegboard.yaml:5:13 agents.helper.tools[0]: there is no tool "git_lgo" on the board. Did you mean: git_log?',
    'pegboard.yaml:6:14 agents.helper.pinned[0]: there is no tool "git_push" on the board.',
    'pegboard.yaml:7:14 agents.helper.agents[0]: there is no agent "othr". Did you mean: other?',
    'pegboard.yaml:9:18 agents.helper.system_file: cannot be combined with system. Use one of them.',
    'pegboard.yaml:10:22 agents.other.provider: openai-compatible needs base_url, such as http://localhost:8000/v1.',
    'pegboard.yaml:11:20 agents.self.agents[0]: agents form a circle: self → second → self. Remove one of them.',
    'pegboard.yaml:11:36 agents.self.model: needs a provider beside it, such as openai or anthropic.',
    'pegboard.yaml:12:22 agents.second.agents[0]: agents form a circle: second → self → second. Remove one of them.',
  ]);
});

it('finds a missing first tool, and agents with the name of a tool', async () => {
  expect(
    await faultsOf(`  helper: { tool_choice: { tool: git_lgo } }
  lead: { agents: [git_log, helper], tool_choice: { tool: helper } }
  careful: { tools: ['output_*'], agents: [git_log] }
  git_log: {}
`),
  ).toEqual([
    'pegboard.yaml:4:34 agents.helper.tool_choice.tool: there is no tool "git_lgo" on the board. Did you mean: git_log?',
    'pegboard.yaml:5:20 agents.lead.agents[0]: is also the name of a tool this agent has. Rename one of them, or leave the tool out.',
  ]);
});

it('finds selectors that match no tool of the board, with suggestions', async () => {
  expect(
    await faultsOf(`  helper:
    tools: ['gti_*', { tag: vsc }, { category: [devel, ops], risk: read }, { risk: destructive }, { name: git_log, risk: write }]
    pinned: ['git_*', 'push_*']
  other: { tools: [git_log], pinned: [output_read], tool_choice: { tool: output_read } }
`),
  ).toEqual([
    'pegboard.yaml:5:14 agents.helper.tools[0]: no tool of the board matches "gti_*". Did you mean: git_*?',
    'pegboard.yaml:5:29 agents.helper.tools[1].tag: no tool of the board has the tag "vsc". Did you mean: vcs?',
    'pegboard.yaml:5:38 agents.helper.tools[2].category: no tool of the board has the category "devel" or "ops". Did you mean: dev?',
    'pegboard.yaml:5:84 agents.helper.tools[3].risk: no tool of the board has the risk "destructive". There are: read.',
    'pegboard.yaml:5:122 agents.helper.tools[4].risk: no tool of the board has the risk "write". There are: read.',
    'pegboard.yaml:6:24 agents.helper.pinned[1]: no tool of the board matches "push_*".',
    'pegboard.yaml:7:39 agents.other.pinned[0]: this agent does not have the tool "output_read". Add it to its tools.',
    'pegboard.yaml:7:74 agents.other.tool_choice.tool: this agent does not have the tool "output_read". Add it to its tools.',
  ]);
});

it('finds an output schema that cannot validate answers', async () => {
  expect(await faultsOf(`  helper: { output: { type: object, properties: { total: { type: nmber } } } }\n`)).toEqual([
    'pegboard.yaml:4:66 agents.helper.output.properties.total.type: must be one of string, number, integer, boolean, object, array, null (did you mean "number"?); got "nmber"',
  ]);
});

it('finds a missing system prompt, and suggests existing files', async () => {
  expect(
    await faultsOf(`  helper: { system_file: promt.md }
  other: { system_file: prompts/other.md }
  folder: { system_file: . }
`),
  ).toEqual([
    'pegboard.yaml:4:26 agents.helper.system_file: there is no file "promt.md" in the folder of this one. Did you mean: prompt.md?',
    'pegboard.yaml:5:25 agents.other.system_file: there is no file "prompts/other.md" in the folder of this one.',
    'pegboard.yaml:6:26 agents.folder.system_file: there is no file "." in the folder of this one.',
  ]);
});
