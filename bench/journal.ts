// A journal of ten million lines (PEGBOARD_BENCH_LINES says how many), on SQLite and on PostgreSQL: how fast lines are added, and how long a page of calls takes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES_BIN, startPostgres } from '../src/platform/postgres/test-server.test-helper.ts';
import type { JournalLine } from '../src/platform/store/board-store.ts';
import { openDatabase } from '../src/platform/store/open-board-store.ts';
import type { SqlDatabase } from '../src/platform/store/sql-database.ts';
import { SqlStore } from '../src/platform/store/sql-store.ts';
import { type CallListOptions, openBoardCalls } from '../src/features/record/board-calls.ts';
import { atMost, type Bar, formatFigure, publish, type Table } from './report.ts';

const LINES = Number(process.env['PEGBOARD_BENCH_LINES'] ?? 10_000_000);
const ROUNDS = 5;
const NOW = Date.now();
const BODY = JSON.stringify({
  startedAt: NOW,
  by: 'MCP client',
  client: { name: 'bench', version: '1' },
  session: 'mcp-1',
  callId: 'call_x1y2z3_1',
  source: 'pegboard',
  kind: 'http',
  level: 'summary',
  durationMs: 12.345,
  attempts: 1,
  stages: { check: 0.012, guard: 0.004, run: 12.2, shape: 0.09 },
  inputChars: 120,
  outputChars: 4_211,
});

const FILTERS: Readonly<Record<string, CallListOptions>> = {
  'the newest': {},
  'of a busy tool': { tool: 'tool_1' },
  'of a rare tool': { tool: 'rare' },
  'of one caller': { caller: 'user7' },
  'that timed out': { outcome: 'timeout' },
  'that went well, of a tool': { outcome: 'ok', tool: 'tool_2' },
  'of the last minute': { since: NOW - 60_000 },
  'of an old day, by a caller': { since: NOW - 5 * 3_600_000, caller: 'user9' },
  'with a text that is often there': { text: 'bench' },
};

const COUNT = LINES.toLocaleString('en-US');
const sizes: string[][] = [];
const tables: Table[] = [
  {
    caption: `A journal of ${COUNT} lines; the text is looked for in all lines, or the newest 500,000:`,
    head: ['Store', 'bytes a line, with indexes', 'lines/s added, 500 at a time', 'ms for a text that is nowhere'],
    rows: sizes,
  },
];
const bars: Bar[] = [];
const folder = mkdtempSync(join(tmpdir(), 'pegboard-journal-'));
try {
  await measure('SQLite', openDatabase(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (POSTGRES_BIN !== undefined) {
  const server = await startPostgres();
  try {
    await measure('PostgreSQL', openDatabase(server.url));
  } finally {
    await server.close();
  }
}
publish({ name: 'journal', tables, bars });

async function measure(name: string, database: SqlDatabase): Promise<void> {
  const store = new SqlStore(database);
  await store.status();
  const added = await fill(database);
  console.error(`${name}: ${LINES} lines in ${Math.round(added / 1_000)} s`);
  const rate = await append(store);
  const calls = openBoardCalls(() => store, { flush: async () => {}, forget: async () => 0 });
  const rows: string[][] = [];
  let slowest = 0;
  for (const [what, filter] of Object.entries(FILTERS)) {
    const times: number[] = [];
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      found = (await calls.list(filter)).length;
      times.push(performance.now() - start);
    }
    const time = times.toSorted((one, other) => one - other)[ROUNDS >> 1] ?? 0;
    slowest = Math.max(slowest, time);
    rows.push([what, String(found), formatFigure(time)]);
  }
  const first = (await store.journal.read({ order: 'oldest', limit: 1 }))[0]?.call ?? '';
  const start = performance.now();
  await calls.get(first);
  rows.push(['one, by its id', '1', formatFigure(performance.now() - start)]);
  // A text that is nowhere: bounded.
  const scanStart = performance.now();
  await calls.list({ text: 'not there' });
  const scan = performance.now() - scanStart;
  const { size } = await store.status();
  await store.close();
  sizes.push([name, formatFigure(size / LINES), formatFigure(rate), formatFigure(scan)]);
  tables.push({ caption: `A page of 50 calls on ${name}:`, head: ['Calls', 'found', 'ms'], rows });
  bars.push(atMost(`${name}: a page of calls in 50 ms`, slowest, { limit: 50, unit: 'ms' }));
}

/** Makes the lines in the database: a hundred tools, a thousand callers, one failure in fifty, over six hours. */
async function fill(database: SqlDatabase): Promise<number> {
  const { schema, driver } = database.dialect;
  const start = performance.now();
  const count = driver === 'postgres' ? 'generate_series($1::bigint, $2::bigint) as made(n)' : 'made';
  const made = 'with recursive made(n) as (select cast($1 as integer) union all select n + 1 from made where n < $2) ';
  const text = (expression: string): string => (driver === 'postgres' ? `(${expression})::text` : `(${expression})`);
  const statement = `insert into ${schema}.journal (at, type, call, parent, tool, caller, outcome, body)
    ${driver === 'postgres' ? '' : made}select ${NOW} - (${LINES} - n) * 21600000 / ${LINES}, 'ended', 'c' || n,
      case when n % 10 = 0 then 'c' || (n - 1) end,
      case when n % 100003 = 0 then 'rare' else 'tool_' || ${text('n % 100')} end,
      case when n % 3 = 0 then '' else 'user' || ${text('n % 1000')} end,
      case when n % 50 = 0 then case when n % 100 = 0 then 'timeout' else 'execution_failed' end else 'ok' end,
      '${BODY}' from ${count}`;
  const step = 500_000;
  for (let from = 1; from <= LINES; from += step)
    await database.transaction(async (run) => {
      await run(statement, [from, Math.min(from + step - 1, LINES)]);
    });
  if (driver === 'postgres') await database.run(`vacuum (analyze) ${schema}.journal`);
  return performance.now() - start;
}

/** Lines a second on top of those that are there. */
async function append(store: SqlStore): Promise<number> {
  const batch = Array.from({ length: 500 }, (_, index): JournalLine => {
    return {
      at: NOW,
      type: 'ended',
      call: `x${index}`,
      tool: `tool_${index % 100}`,
      caller: 'user1',
      outcome: 'ok',
      body: BODY,
    };
  });
  const start = performance.now();
  for (let round = 0; round < 40; round++) await store.journal.append(batch, { signal: 'calls' });
  return (40 * batch.length * 1_000) / (performance.now() - start);
}
