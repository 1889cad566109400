// A run that survives its process: it stops halfway, and another board resumes it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool, openBoard } from '../src/index.ts';
import { defineAgent, listRuns, resumeRun, runAgent } from '../src/agent.ts';
import { scriptedModel } from '../src/testing.ts';

const data = mkdtempSync(join(tmpdir(), 'kept-run-'));
const sent: string[] = [];
const stop = new AbortController();
const send = defineTool({
  name: 'send_bill',
  description: 'Send a bill.',
  schema: z.object({ to: z.string() }),
  execute({ to }) {
    sent.push(to);
    // Simulates a crash: nothing after the second bill happens here.
    if (sent.length === 2) stop.abort();
    return `sent to ${to}`;
  },
});
const bills = (model: ReturnType<typeof scriptedModel>) => defineAgent({ name: 'bills', model, concurrency: 1 });

const first = await openBoard({ tools: [send], data });
const script = scriptedModel([
  { calls: [{ name: 'send_bill', input: { to: 'ada' } }] },
  { calls: [{ name: 'send_bill', input: { to: 'bob' } }] },
]);
const stopped = await runAgent(bills(script), 'Send the bills.', { board: first, run: 'may', signal: stop.signal });
console.log(stopped.outcome);
await first.close();

const second = await openBoard({ tools: [send], data });
for (const { id, status } of await listRuns(second)) {
  console.log(id, status);
  const rest = scriptedModel([({ results }) => `The last bill was ${results[0]?.text}.`]);
  const result = await resumeRun(second, id, { agent: bills(rest) });
  console.log(result.outcome, '·', result.text, '·', result.steps.length, 'steps');
}
console.log(sent);
assert.deepEqual(sent, ['ada', 'bob']);
await second.close();
rmSync(data, { recursive: true });
