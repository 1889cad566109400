import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../agent/define/define-agent.ts';
import { runAgent, streamAgent } from '../agent/loop/run-agent.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import type { ModelV4 } from '../agent/model/ai-types.ts';
import { recordModel } from './record-model.ts';
import { replayModel } from './replay-model.ts';
import { scriptedModel } from './scripted-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-cassettes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = 'hunter2hunter2';
const board = new ToolRegistry().register(
  defineTool({
    name: 'who',
    description: 'Who',
    schema: z.object({}),
    execute: () => `ada, password ${SECRET}, key sk-abcdef1234567890`,
  }),
);
const script = () =>
  scriptedModel([{ reasoning: 'Ask.', calls: [{ name: 'who' }] }, 'It is Ada.'], { provider: 'acme', modelId: 'm-1' });
const agentOf = (model: ModelV4, system = 'Be brief.') => defineAgent({ name: 'a', model, system });
const options = (name: string) => ({
  cassette: join(folder, 'deep', `${name}.json`),
  secrets: [SECRET],
  env: { ACME_TOKEN: 'token-of-acme' },
});

describe.for(['whole', 'streamed'])('recorded %s', (mode) => {
  const run = (model: ModelV4, question = 'Who? token-of-acme') =>
    mode === 'whole'
      ? runAgent(agentOf(model), question, { board })
      : streamAgent(agentOf(model), question, { board }).result;

  it('is replayed to the same result, streamed or not, without secrets on disk', async () => {
    const recorded = await run(recordModel(script(), options(mode)));
    const text = readFileSync(options(mode).cassette, 'utf8');
    for (const secret of [SECRET, 'token-of-acme', 'sk-abcdef1234567890']) expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject({ provider: 'acme', modelId: 'm-1', entries: [{}, {}] });
    const model = replayModel(options(mode));
    const replayed = await run(model);
    expect([replayed.text, replayed.usage, replayed.steps[0]?.calls[0]?.tool]).toEqual([
      recorded.text,
      recorded.usage,
      'who',
    ]);
    model.assertDone();
    const other = replayModel(options(mode));
    expect((await streamAgent(agentOf(other), 'Who? token-of-acme', { board }).result).text).toBe('It is Ada.');
  });

  it('shows the difference for another request', async () => {
    await run(recordModel(script(), options('other')));
    await expect(run(replayModel(options('other')), 'Who else?')).rejects.toThrow(
      /^Request 1 is not the one in .*other\.json \(- recorded, \+ now\):\n- prompt\[1\]\.content\[0\]\.text: "Who\? .*"\n\+ prompt\[1\]\.content\[0\]\.text: "Who else\?"\nRecord it again if the change is intended\.$/,
    );
  });
});

it('keeps recorded answers when a test fails midway, and reports the end of the cassette', async () => {
  const short = { ...options('short') };
  await expect(
    runAgent(agentOf(recordModel(scriptedModel([{ calls: [{ name: 'who' }] }]), short)), 'x', { board }),
  ).rejects.toThrow('asked a 2nd time');
  expect(existsSync(short.cassette)).toBe(true);
  await expect(runAgent(agentOf(replayModel(short)), 'x', { board })).rejects.toThrow(
    'has 1 answers, and the model was asked once more. Record it again.',
  );
  const unused = replayModel(short);
  expect(() => unused.assertDone()).toThrow('has 1 answers, and 0 were asked for.');
});

it('reports a missing cassette', () => {
  expect(() => replayModel({ cassette: join(folder, 'none.json') })).toThrow('none.json cannot be read: ENOENT');
});
