// Three hooks around every call: one keeps an audit trail, one answers from a cache, one denies calls.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineTool, ToolError, ToolRegistry, type ToolResult } from '../src/index.ts';

let runs = 0;
const checksum = defineTool({
  name: 'checksum',
  description: 'The SHA-256 of a text.',
  risk: 'read',
  schema: z.object({ text: z.string() }),
  execute: ({ text }) => {
    runs += 1;
    return createHash('sha256').update(text).digest('hex').slice(0, 12);
  },
});
const dropTable = defineTool({
  name: 'drop_table',
  description: 'Delete a table and everything in it.',
  risk: 'destructive',
  schema: z.object({ table: z.string() }),
  execute: ({ table }) => `${table} is gone`,
});
const board = new ToolRegistry().registerMany([checksum, dropTable]);
const { hooks } = board.executor;

// Deny: a hook that throws a ToolError refuses the call. A higher priority runs earlier.
hooks.before(
  ({ tool, context }) => {
    if (tool.metadata.risk !== 'destructive' || context.getMeta('role') === 'admin') return;
    throw new ToolError({ code: 'permission_denied', message: `Only an admin may call ${tool.metadata.name}.` });
  },
  { priority: 10 },
);

// Cache: a hook that returns a result answers for the tool.
const cache = new Map<string, ToolResult>();
const keyOf = (name: string, args: unknown): string => `${name} ${JSON.stringify(args)}`;
hooks.before(({ tool, args }) => cache.get(keyOf(tool.metadata.name, args)));
hooks.after(({ tool, args, result }) => {
  if (result.ok && tool.metadata.risk === 'read') cache.set(keyOf(tool.metadata.name, args), result);
});

// Audit: an event, so that refused calls are seen too.
const trail: string[] = [];
board.executor.on('call:finished', ({ tool, result }) => {
  trail.push(`${tool.padEnd(12)}${(result.ok ? 'ok' : result.error.code).padEnd(19)}${result.text}`);
});

await board.call('checksum', { text: 'hello' });
await board.call('checksum', { text: 'hello' });
await board.call('drop_table', { table: 'orders' });
await board.call('drop_table', { table: 'orders' }, { context: { role: 'admin' } });

console.log(trail.join('\n'));
console.log(`\nchecksum ran ${runs === 1 ? 'once' : `${runs} times`} for two calls`);

assert.equal(runs, 1);
assert.deepEqual(trail, [
  'checksum    ok                 2cf24dba5fb0',
  'checksum    ok                 2cf24dba5fb0',
  'drop_table  permission_denied  Only an admin may call drop_table.',
  'drop_table  ok                 orders is gone',
]);
