import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ConfigError } from './diagnostic.ts';
import { openBoard } from './open-board.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-agents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function faultsOf(agents: string): Promise<string[]> {
  const file = join(folder, 'pegboard.yaml');
  const tools = 'tools:\n  - { name: git_log, type: cli, description: Log, command: git log }\n';
  writeFileSync(file, `${tools}agents:\n${agents}`);
  try {
    await (await openBoard(file, { cwd: folder, env: {} })).close();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').filter((line) => line.startsWith('pegboard.yaml'));
  }
}

it('takes agents that fit', async () => {
  expect(
    await faultsOf(`  helper:
    provider: openai
    model: gpt-5.4-mini
    tools: [git_log, 'git_*', { tag: vcs }]
    pinned: [git_log]
    agents: [other]
  other: { tool_choice: { tool: git_log }, approval: write, prices: { input: 1, output: 2 } }
`),
  ).toEqual([]);
});

it('shows every fault with its place', async () => {
  expect(
    await faultsOf(`  helper:
    max_step: 3
    provider: opnai
`),
  ).toEqual([
    expect.stringContaining('pegboard.yaml:6:15 agents.helper.provider: must be one of'),
    'pegboard.yaml:5:5 agents.helper.max_step: is not a known key. Did you mean "max_steps"?',
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
    'pegboard.yaml:9:18 agents.helper.system_file: stands beside system; only one of them can be meant.',
    'pegboard.yaml:10:22 agents.other.provider: openai-compatible needs base_url, such as http://localhost:8000/v1.',
    'pegboard.yaml:11:20 agents.self.agents[0]: agents form a circle: self → second → self. Remove one of them.',
    'pegboard.yaml:11:36 agents.self.model: needs a provider beside it, such as openai or anthropic.',
    'pegboard.yaml:12:22 agents.second.agents[0]: agents form a circle: second → self → second. Remove one of them.',
  ]);
});

it('finds a first tool that is not there, and agents that are called like a tool', async () => {
  expect(
    await faultsOf(`  helper: { tool_choice: { tool: git_lgo } }
  lead: { agents: [git_log, helper], tool_choice: { tool: helper } }
  careful: { tools: ['git_p*'], agents: [git_log] }
  git_log: {}
`),
  ).toEqual([
    'pegboard.yaml:4:34 agents.helper.tool_choice.tool: there is no tool "git_lgo" on the board. Did you mean: git_log?',
    'pegboard.yaml:5:20 agents.lead.agents[0]: is also the name of a tool this agent has. Rename one of them, or leave the tool out.',
  ]);
});
