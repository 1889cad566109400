// Limits of a call: time, attempts, and calls at once. Also shows how to stop one.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool, ToolError, ToolRegistry } from '../src/index.ts';

let running = 0;
let busiest = 0;
const work = defineTool({
  name: 'work',
  description: 'Work for some milliseconds.',
  concurrency: 2,
  schema: z.object({ milliseconds: z.number() }),
  async execute({ milliseconds }, context) {
    busiest = Math.max(busiest, ++running);
    try {
      // Pass the signal to everything that waits, so that a cancelled call also stops its work.
      await sleep(milliseconds, undefined, { signal: context.signal });
      return `worked for ${milliseconds} ms`;
    } finally {
      running -= 1;
    }
  },
});

let failures = 2;
const flaky = defineTool({
  name: 'flaky',
  description: 'Fetch a quote from a service that is often down.',
  schema: z.object({}),
  retries: 3,
  execute: () => {
    if (failures-- > 0) throw new ToolError({ code: 'upstream_unavailable', message: 'The quote service is down.' });
    return 'Well begun is half done.';
  },
});

const board = new ToolRegistry({ timeout: 5_000, retryDelay: 5 }).registerMany([work, flaky]);

const late = await board.call('work', { milliseconds: 2_000 }, { timeout: 30 });
console.log(`timeout      ${late.text}`);

const controller = new AbortController();
const pending = board.call('work', { milliseconds: 2_000 }, { signal: controller.signal });
controller.abort();
const cancelled = await pending;
console.log(`cancel       ${cancelled.text}`);

const quote = await board.call('flaky');
console.log(`retry        "${quote.text}" after ${quote.meta.attempts} attempts`);

busiest = 0;
const six = await Promise.all(Array.from({ length: 6 }, () => board.call('work', { milliseconds: 10 })));
console.log(`concurrency  ${six.filter((result) => result.ok).length} calls done, at most ${busiest} at once`);

assert.equal(late.error?.code, 'timeout');
assert.equal(cancelled.error?.code, 'cancelled');
assert.equal(quote.meta.attempts, 3);
assert.equal(busiest, 2);
assert.equal(running, 0);
