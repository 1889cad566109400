import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openBoard } from '../../board/open-board.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { readAgents } from './read-agents.ts';
import { runAgent } from '../loop/run-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-read-agents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILE = `
tools:
  - { name: hello, type: cli, description: Say hello, command: [echo, hello], risk: read, tags: [talk] }
agents:
  lead:
    description: Leads
    provider: openai
    model: gpt-5.4-mini
    api_key: \${KEY}
    system_file: lead.md
    tools: [hello]
    agents: [helper]
    tool_choice: { tool: helper }
    max_steps: 4
    temperature: 0.1
    stop: [END]
    provider_options: { openai: { reasoningEffort: low } }
    prices: { input: 1, output: 2, cached_input: 0.1 }
  helper:
    tools: [{ tag: talk }]
    approval: write
    reuse_reads: false
`;

it('returns the agents of a file, each with its sub-agents', async () => {
  writeFileSync(join(folder, 'pegboard.yaml'), FILE);
  writeFileSync(join(folder, 'lead.md'), 'You lead.');
  const board = await openBoard('pegboard.yaml', { cwd: folder, env: { KEY: 'secret-key' } });
  const agents = readAgents(board, { cwd: folder });
  const lead = agents.get('lead');
  expect([...agents.keys()]).toEqual(['lead', 'helper']);
  expect(lead).toMatchObject({
    description: 'Leads',
    model: { provider: 'openai', model: 'gpt-5.4-mini', apiKey: 'secret-key' },
    system: { file: join(folder, 'lead.md') },
    tools: ['hello'],
    agents: [{ name: 'helper', approval: 'write', reuseReads: false, tools: [{ tag: 'talk' }] }],
    toolChoice: { tool: 'helper' },
    limits: { maxSteps: 4, maxCallsPerStep: 64 },
    settings: { temperature: 0.1, stopSequences: ['END'], providerOptions: { openai: { reasoningEffort: 'low' } } },
    prices: { input: 1, output: 2, cachedInput: 0.1 },
  });

  // The agent from the file, with scripted models.
  const [below] = lead?.agents ?? [];
  if (lead === undefined || below === undefined) throw new Error('no agents');
  const helperModel = scriptedModel([{ calls: [{ name: 'hello' }] }, ({ results }) => `It said ${results[0]?.text}`]);
  const model = scriptedModel([
    { calls: [{ name: 'helper', input: { task: 'Say hello' } }] },
    ({ results }) => String(results[0]?.text),
  ]);
  const result = await runAgent({ ...lead, model, agents: [{ ...below, model: helperModel }] }, 'go', { board });
  expect(result).toMatchObject({ ok: true, text: 'It said hello\n', usage: { cost: undefined } });
  expect(model.requests[0]).toMatchObject({ system: 'You lead.', tools: ['hello', 'helper'], toolChoice: 'helper' });
  await board.close();
});
