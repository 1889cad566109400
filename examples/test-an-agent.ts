// Tests an agent without a model: a script, a fake, a cassette.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defineAgent, runAgent } from '../src/agent.ts';
import { defineTool, ToolRegistry } from '../src/index.ts';
import { assertCalled, fakeTool, inTurn, recordModel, replayModel, scriptedModel } from '../src/testing.ts';

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Send a mail to somebody.',
  risk: 'write',
  schema: z.object({ to: z.email(), text: z.string() }),
  execute: () => assert.fail('a test must not send mail'),
});

// The server fails once; does the agent try again?
const mail = fakeTool(sendMail, inTurn(new Error('greylisted, try again'), 'sent'));
const board = new ToolRegistry().register(mail);
const ask = { name: 'send_mail', input: { to: 'ada@example.com', text: 'Hello' } };
const script = scriptedModel([
  { calls: [ask] },
  ({ results }) => (results[0]?.text.includes('try again') === true ? { calls: [ask] } : 'I give up.'),
  ({ results }) => `The mail was ${results[0]?.text}.`,
]);

const folder = mkdtempSync(join(tmpdir(), 'pegboard-example-'));
const cassette = join(folder, 'mail.json');
const agentOf = (model: typeof script | ReturnType<typeof recordModel>) => defineAgent({ name: 'secretary', model });

const recorded = await runAgent(agentOf(recordModel(script, { cassette })), 'Write to Ada', { board });
console.log(recorded.text);
assert.equal(recorded.text, 'The mail was sent.');
assertCalled(recorded, 'send_mail', { to: 'ada@example.com' });
assert.equal(mail.calls.length, 2);
script.assertDone();

// The same test from the cassette, which would be committed beside it.
mail.reset();
const replay = replayModel({ cassette });
const replayed = await runAgent(agentOf(replay), 'Write to Ada', { board });
assert.equal(replayed.text, recorded.text);
replay.assertDone();
console.log(`${JSON.parse(readFileSync(cassette, 'utf8')).entries.length} answers on the cassette`);

// A change of the prompt is noticed, with the difference.
mail.reset();
await assert.rejects(runAgent(agentOf(replayModel({ cassette })), 'Write to Alan', { board }), (error: Error) => {
  console.log(error.message.replace(folder, '…'));
  return error.message.includes('+ prompt[0].content[0].text: "Write to Alan"');
});
rmSync(folder, { recursive: true, force: true });
