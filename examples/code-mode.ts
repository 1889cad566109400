// A program instead of many calls: data goes from tool to tool without passing the model, and people are asked once about all of them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defineAgent, runAgent } from '../src/agent.ts';
import { resumeCode, runCode } from '../src/code.ts';
import { defineTool, openBoard } from '../src/index.ts';
import { scriptedModel } from '../src/testing.ts';

const data = mkdtempSync(join(tmpdir(), 'code-mode-'));
const sent: string[] = [];
const listOrders = defineTool({
  name: 'list_orders',
  description: 'List orders.',
  risk: 'read',
  schema: z.object({ status: z.enum(['open', 'paid']) }),
  execute: () =>
    Array.from({ length: 200 }, (_, id) => ({
      id,
      email: `customer${id}@example.com`,
      due: id < 3 ? '2026-10-01' : '2026-12-01',
    })),
});
const sendMail = defineTool({
  name: 'send_mail',
  description: 'Send a mail.',
  schema: z.object({ to: z.string(), subject: z.string() }),
  execute({ to }) {
    sent.push(to);
    return 'sent';
  },
});
const board = await openBoard({ tools: [listOrders, sendMail], data, policy: { approval: { global: 'write' } } });

const program = `
const orders = await tools.list_orders({ status: 'open' });
const late = orders.filter((order) => order.due < '2026-11-01');
await Promise.all(late.map((order) => tools.send_mail({ to: order.email, subject: \`Order \${order.id} is late\` })));
return late.map(({ id }) => id);`;

// The model sees two tools, sends one program, and reads three numbers.
const model = scriptedModel([
  { calls: [{ name: 'run_code', input: { code: program.replace(/await Promise.*\n/, '') } }] },
  ({ results }) => `Late: ${results[0]?.text}`,
]);
const agent = defineAgent({ name: 'orders', model, code: true });
const { text } = await runAgent(agent, 'Which orders are late?', { board });
console.log(model.requests[0]?.tools, text);
assert.equal(text, 'Late: [0,1,2]');

// Calls that need approval pause the program. It waits in the board's store, and resumes once they are answered.
const waiting = await runCode(board, program, { pause: true });
console.log(waiting.waiting?.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`));
assert.equal(waiting.waiting?.length, 3);
for (const [place, { approvalId }] of (waiting.waiting ?? []).entries())
  await board.approvals.answer(
    approvalId,
    place === 1 ? { allow: false, reason: 'They paid today.' } : { allow: true },
  );
const result = await resumeCode(board, waiting.id);
console.log(result.ok ? result.value : result.error.message, sent);
assert.equal(result.ok ? undefined : result.error.code, 'permission_denied');
assert.deepEqual(sent, ['customer0@example.com', 'customer2@example.com']);

// All faults are reported at once, before anything runs.
const faulty = await runCode(board, `await tools.send_mial({ to: 'a' });\nawait tools.send_mail({ to: 5 });`);
console.log(faulty.ok ? '' : faulty.error.message);
assert.equal(faulty.calls.length, 0);

await board.close();
rmSync(data, { recursive: true });
