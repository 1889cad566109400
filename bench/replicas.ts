// Measures the cost of replicas and their store: calls of one process without a store, and of one, two and three on one PostgreSQL.
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism, tmpdir } from 'node:os';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../src/platform/postgres/test-server.test-helper.ts';
import { type HttpLoad, requestOnce, requestsPerSecond } from './mcp/http-load.ts';
import { CALL, INITIALIZE, request, stateless } from './mcp/messages.ts';
import { childrenTime, processorTime } from './processor-time.ts';
import { atLeast, atMost, formatFigure, publish } from './report.ts';
import { measureInRounds, medianOf, ratioOf, type Subject } from './rounds.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 25);
const TOTAL = Number(process.env['BENCH_REQUESTS'] ?? 6_000);
/** Rounds until all servers run optimised code: a server that runs for days pays for that once. */
const WARM_UP = 4;
const CONNECTIONS = 48;
const DIST = join(import.meta.dirname, '../dist');
const ALONE = 'one process without a store';
const RECORDED = '1 replica, record: summary';
const ON_SQLITE = 'one process on SQLite';
const ON_SQLITE_RECORDED = 'one process on SQLite, record: summary';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-replicas-'));
const children: ChildProcess[] = [];
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
const postgres = await startPostgres();

const TOOL = `import { defineTool } from ${JSON.stringify(join(DIST, 'index.js'))};
const number = { type: 'number' };
export const add = defineTool({ name: 'add', description: 'Adds', risk: 'read',
  schema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
  execute: ({ a, b }) => String(a + b) });`;
const ALONE_SCRIPT = `import { ToolRegistry } from ${JSON.stringify(join(DIST, 'index.js'))};
import { serveHttp } from ${JSON.stringify(join(DIST, 'mcp.js'))};
import { add } from './tools.mjs';
const registry = new ToolRegistry();
registry.register(add);
process.stderr.write('at ' + (await serveHttp({ registry }, { port: 0, token: false })).url + '\\n');`;
writeFileSync(join(folder, 'tools.mjs'), TOOL);
writeFileSync(join(folder, 'alone.mjs'), ALONE_SCRIPT);

/** A server that runs. */
interface Served {
  readonly url: URL;
  readonly child: ChildProcess;
}

const alone = [await start([join(folder, 'alone.mjs')])];
const replicas = [];
for (let count = 0; count < 3; count++) replicas.push(await serve('off', `replica-${count}`));
const recorded = [await serve('summary', 'recorded')];
const sets: readonly (readonly [name: string, servers: readonly Served[]])[] = [
  [ALONE, alone],
  ['1 replica', replicas.slice(0, 1)],
  ['2 replicas', replicas.slice(0, 2)],
  ['3 replicas', replicas],
  [RECORDED, recorded],
  [ON_SQLITE, [await serve('off', 'sqlite', 'sqlite')]],
  [ON_SQLITE_RECORDED, [await serve('summary', 'sqlite-recorded', 'sqlite')]],
];

const subjects = { stateless: [] as Subject[], session: [] as Subject[] };
/** Microseconds of processor time of each round of stateless requests. */
const times = { server: new Map<string, number[]>(), database: new Map<string, number[]>() };
for (const [name, servers] of sets) {
  const plain = servers.map(({ url }): HttpLoad => ({ url, ...stateless('tools/call', CALL) }));
  // One session for all replicas of a set: the first opens it, the others find it in the store.
  const headers = await openSession(servers[0]?.url);
  const legacy = servers.map(({ url }): HttpLoad => ({ url, headers, body: request(1, 'tools/call', CALL).trim() }));
  for (const load of [...plain, ...legacy]) {
    const answer = await requestOnce(load);
    if (!/"text":"5"/.test(answer)) throw new Error(`${name} gave a wrong answer: ${answer}`);
  }
  const rate = async (loads: readonly HttpLoad[]): Promise<number> => {
    const share = loads.map((load) => requestsPerSecond(load, CONNECTIONS / loads.length, TOTAL / loads.length));
    return (await Promise.all(share)).reduce((sum, one) => sum + one, 0);
  };
  const timed = async (): Promise<number> => {
    const used = (): readonly [number, number] => [
      servers.reduce((sum, { child }) => sum + processorTime(child.pid), 0),
      childrenTime(postgres.pid()),
    ];
    const before = used();
    const measured = await rate(plain);
    // Writes after the calls belong to the calls.
    await settle();
    const after = used();
    for (const [index, timings] of [times.server, times.database].entries())
      timings.set(name, [...(timings.get(name) ?? []), ((after[index] ?? 0) - (before[index] ?? 0)) / TOTAL]);
    return measured;
  };
  subjects.stateless.push({ name, measure: timed });
  subjects.session.push({ name, measure: () => rate(legacy) });
}
await measureInRounds([...subjects.stateless, ...subjects.session], WARM_UP);
for (const timings of Object.values(times)) timings.clear();
const rates = {
  stateless: await measureInRounds(subjects.stateless, ROUNDS),
  session: await measureInRounds(subjects.session, ROUNDS),
};
for (const child of children) child.kill('SIGKILL');
await postgres.close();

publish({
  name: 'replicas',
  tables: [
    {
      caption: `tools/call of a trivial tool, all processes, PostgreSQL and the clients on ${availableParallelism()} cores. With more processes than cores a figure shows what sharing costs, not how far replicas scale, and the database takes its part of the cores:`,
      head: ['Served by', 'stateless requests/s', 'requests/s of a session'],
      rows: sets.map(([name]) => [
        name,
        formatFigure(medianOf(rates.stateless, name)),
        formatFigure(medianOf(rates.session, name)),
      ]),
    },
    {
      caption: 'Processor time of one stateless request, with what is written behind it:',
      head: ['Served by', 'µs of the server', 'µs of PostgreSQL', 'requests/s of a core'],
      rows: sets.map(([name]) => [
        name,
        formatFigure(medianOf(times.server, name)),
        formatFigure(medianOf(times.database, name)),
        formatFigure(1e6 / medianOf(times.server, name)),
      ]),
    },
  ],
  bars: [
    atLeast(
      'stateless HTTP: at least 0.8 × with the record on, SQLite',
      ratioOf(rates.stateless, ON_SQLITE_RECORDED, ON_SQLITE),
      { limit: 0.8, unit: '×' },
    ),
    atLeast(
      'stateless HTTP: at least 0.8 × with the record on, PostgreSQL',
      ratioOf(rates.stateless, RECORDED, '1 replica'),
      { limit: 0.8, unit: '×' },
    ),
    atMost(
      'processor time of a server: at most 1.2 × with the record on, SQLite',
      ratioOf(times.server, ON_SQLITE_RECORDED, ON_SQLITE),
      { limit: 1.2, unit: '×' },
    ),
    atMost(
      'processor time of a server: at most 1.2 × with the record on, PostgreSQL',
      ratioOf(times.server, RECORDED, '1 replica'),
      { limit: 1.2, unit: '×' },
    ),
    atLeast('a session in the store: at least 0.9 × one in memory', ratioOf(rates.session, '1 replica', ALONE), {
      limit: 0.9,
      unit: '×',
    }),
  ],
});

async function serve(record: string, name: string, driver: 'postgres' | 'sqlite' = 'postgres'): Promise<Served> {
  const place = join(folder, name);
  mkdirSync(place);
  const file = join(place, 'pegboard.yaml');
  writeFileSync(file, `record: ${record}\ntools: [{ type: script, file: ../tools.mjs }]\n`);
  const shared = { PEGBOARD_STORE: `${postgres.url}?schema=bench_${record}`, PEGBOARD_KEY: 'ab'.repeat(32) };
  const env = driver === 'sqlite' ? {} : shared;
  return start([join(DIST, 'cli.js'), 'serve', '--http', '--no-token', '--port', '0', file], env);
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const child = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      const [found] = /http:[^\s,]+/.exec((text += String(chunk))) ?? [];
      if (found !== undefined) resolve({ url: new URL(found), child });
    });
    child.once('exit', (code) => reject(new Error(`A server ended with ${code}: ${text}`)));
  });
}

/** Waits until lines of the record that wait for others are written. */
function settle(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 200));
}

async function openSession(url: URL | undefined): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await fetch(url ?? '', { method: 'POST', headers, body: INITIALIZE });
  await response.text();
  return { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' };
}
