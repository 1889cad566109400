// A tool in one object, its input described by plain JSON Schema.
import assert from 'node:assert/strict';
import { defineTool, ToolRegistry } from '../src/index.ts';

const localTime = defineTool({
  name: 'local_time',
  description: 'Tell what time it is somewhere at a given moment.',
  category: 'utility',
  schema: {
    type: 'object',
    properties: {
      at: { type: 'string', format: 'date-time', description: 'The moment, for example 2026-03-01T12:00:00Z' },
      zone: { type: 'string', description: 'A time zone such as Asia/Tokyo', default: 'UTC' },
    },
    required: ['at'],
  },
  execute({ at, zone }) {
    const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: zone });
    return format.format(new Date(at));
  },
});

const board = new ToolRegistry().register(localTime);
const tokyo = await board.call('local_time', { at: '2026-03-01T12:00:00Z', zone: 'Asia/Tokyo' });
const utc = await board.call('local_time', { at: '2026-03-01T12:00:00Z' });
const nowhere = await board.call('local_time', { at: '2026-03-01T12:00:00Z', zone: 'Asia/Atlantis' });
for (const result of [tokyo, utc, nowhere]) console.log(result.ok ? 'ok    ' : 'failed', result.text);

assert.match(tokyo.text, /^Sunday,? 1 March 2026 at 21:00$/);
assert.match(utc.text, /^Sunday,? 1 March 2026 at 12:00$/);
assert.equal(nowhere.error?.code, 'execution_failed');
assert.match(nowhere.text, /Invalid time zone specified: Asia\/Atlantis/);
