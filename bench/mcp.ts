// Measures the cost of serving: against the official server, fastmcp and the least that can answer, over HTTP and stdio.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import {
  type Contestant,
  type HttpContestant,
  start,
  startHttp,
  StdioLine,
  timeToFirstAnswer,
} from './mcp/bench-server.ts';
import { type HttpLoad, requestOnce, requestsPerSecond } from './mcp/http-load.ts';
import { CALL, INITIALIZE, INITIALIZED, request, stateless } from './mcp/messages.ts';
import { atLeast, atMost, formatFigure, publish, type Table } from './report.ts';
import { measureInRounds, medianOf, ratioOf, type Subject, type Timings } from './rounds.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9);
const OURS = 'Pegboard';
const BARE = 'bare Node';
const OFFICIAL = 'official 2.4';
const HOISTED = 'official 2.4, schemas made once';
const FASTMCP = 'fastmcp 4.20';
const RAW = 'raw loop';

// Scripts without types, so that no contestant pays for taking them out.
const scripts = fileURLToPath(new URL('./node_modules/.mcp-bench/', import.meta.url));
mkdirSync(scripts, { recursive: true });
const script = (name: string): string => {
  const source = readFileSync(new URL(`./mcp/${name}.ts`, import.meta.url), 'utf8');
  const file = `${scripts}${name}.mjs`;
  writeFileSync(
    file,
    stripTypeScriptTypes(source).replaceAll("'../../dist/", `'${fileURLToPath(new URL('../dist/', import.meta.url))}`),
  );
  return file;
};
const SCRIPTS: Readonly<Record<string, string>> = {
  [OURS]: script('serve-ours'),
  [OFFICIAL]: script('serve-official'),
  [FASTMCP]: script('serve-fastmcp'),
  [RAW]: script('serve-raw'),
};
const contestant = (name: string, mode: string): Contestant => ({
  name,
  script: SCRIPTS[name === HOISTED ? OFFICIAL : name] ?? '',
  mode,
});

const http = await measureHttp();
const stdio = await measureStdio();
const lists = await measureLists();
const cold = await measureColdStart();
rmSync(scripts, { recursive: true });

publish({
  name: 'mcp',
  tables: [http.table, stdio.table, lists.table, cold.table],
  bars: [
    atLeast(
      'stateless HTTP with 100 tools: at least 20 × the official handler',
      ratioOf(http.rates, `${OURS} 100`, `${OFFICIAL} 100`),
      { limit: 20, unit: '×' },
    ),
    atLeast('stateless HTTP: at least half of the raw loop', ratioOf(http.rates, `${OURS} 1`, `${RAW} 1`), {
      limit: 0.5,
      unit: '×',
    }),
    atLeast('stateless HTTP: with 1,000 tools within 10 % of one', ratioOf(http.rates, `${OURS} 1000`, `${OURS} 1`), {
      limit: 0.9,
      unit: '×',
    }),
    atMost('stdio p50: no slower than the official server', ratioOf(stdio.latency, OURS, OFFICIAL), {
      limit: 1,
      unit: '×',
    }),
    atLeast('stdio pipelined: at least 2 × the official server', ratioOf(stdio.rates, OURS, OFFICIAL), {
      limit: 2,
      unit: '×',
    }),
    atLeast(
      'tools/list of 1,000: at least 15 × faster than the official server',
      ratioOf(lists.times, OFFICIAL, OURS),
      { limit: 15, unit: '×' },
    ),
    atMost(
      'cold start with a file of 100 tools: no slower than the official server with one',
      ratioOf(cold.times, OURS, OFFICIAL),
      { limit: 1, unit: '×' },
    ),
    atMost('cold start: initialize is answered within 3 × bare Node', ratioOf(cold.times, OURS, BARE), {
      limit: 3,
      unit: '×',
    }),
  ],
});

interface Measured {
  readonly table: Table;
}

async function measureHttp(): Promise<Measured & { readonly rates: Timings }> {
  const wanted: readonly (readonly [name: string, tools: number, mode: string, total: number])[] = [
    [RAW, 1, 'http', 20_000],
    [OURS, 1, 'http', 20_000],
    [OURS, 100, 'http', 20_000],
    [OURS, 1000, 'http', 20_000],
    [OFFICIAL, 1, 'http', 400],
    [OFFICIAL, 100, 'http', 150],
    [OFFICIAL, 1000, 'http', 50],
    [HOISTED, 100, 'http-hoisted', 150],
    [FASTMCP, 1, 'http', 200],
    [FASTMCP, 100, 'http', 200],
  ];
  const running = new Map<string, { server: HttpContestant; load: HttpLoad; total: number }>();
  for (const [name, tools, mode, total] of wanted) {
    const server = await startHttp(contestant(name, mode), tools);
    // fastmcp does not speak the stateless revision: it gets the same call without its fields.
    const message = name === FASTMCP ? { body: request(1, 'tools/call', CALL).trim() } : stateless('tools/call', CALL);
    const load = { url: server.url, ...message };
    const answer = await requestOnce(load);
    if (!/"text":\s*"5"/.test(answer)) throw new Error(`${name} gave a wrong answer: ${answer}`);
    await requestsPerSecond(load, 10, total);
    running.set(`${name} ${tools}`, { server, load, total });
  }
  const subjects = (connections: number, share: number): Subject[] =>
    [...running].map(([name, { load, total }]) => ({
      name,
      measure: () => requestsPerSecond(load, connections, Math.ceil(total * share)),
    }));
  const rates = await measureInRounds(subjects(50, 1), ROUNDS);
  const sequential = await measureInRounds(subjects(1, 0.2), Math.ceil(ROUNDS / 2));
  const rows = [...running].map(([name, { server }]) => [
    name.replace(
      / (\d+)$/,
      (_, tools: string) => `, ${tools === '1' ? '1 tool' : `${Number(tools).toLocaleString('en-US')} tools`}`,
    ),
    formatFigure(medianOf(rates, name)),
    formatFigure(medianOf(sequential, name)),
    formatFigure(server.memory() / 1e6),
  ]);
  for (const { server } of running.values()) server.stop();
  const head = ['Server', 'requests/s, 50 connections', 'requests/s, one', 'RSS in MB'];
  return {
    rates,
    table: {
      caption: 'tools/call of a trivial tool over stateless HTTP, each server in a process of its own:',
      head,
      rows,
    },
  };
}

async function measureStdio(): Promise<Measured & { readonly latency: Timings; readonly rates: Timings }> {
  const lines = new Map<string, StdioLine>();
  for (const name of Object.keys(SCRIPTS)) {
    const child = start(SCRIPTS[name] ?? '', ['stdio', '1']);
    const line = new StdioLine(child);
    await line.exchange(INITIALIZE);
    child.stdin?.write(INITIALIZED);
    await line.exchange(batch(500), 500);
    lines.set(name, line);
  }
  const latency = await measureInRounds(
    [...lines].map(([name, line]) => ({ name, measure: () => medianLatency(line, name === FASTMCP ? 50 : 500) })),
    ROUNDS,
  );
  const rates = await measureInRounds(
    [...lines].map(([name, line]) => ({ name, measure: () => pipelined(line, name === FASTMCP ? 500 : 10_000) })),
    ROUNDS,
  );
  const rows = [...lines].map(([name, line]) => [
    name,
    formatFigure(medianOf(latency, name)),
    formatFigure(medianOf(rates, name)),
    formatFigure(line.memory() / 1e6),
  ]);
  await Promise.all([...lines.values()].map((line) => line.stop()));
  const head = ['Server', 'p50 in µs', 'pipelined calls/s', 'RSS in MB'];
  return { latency, rates, table: { caption: 'The same call over stdio, after a handshake:', head, rows } };
}

async function measureLists(): Promise<Measured & { readonly times: Timings }> {
  const lines = new Map<string, StdioLine>();
  for (const name of Object.keys(SCRIPTS)) {
    const child = start(SCRIPTS[name] ?? '', ['stdio', '1000']);
    const line = new StdioLine(child);
    await line.exchange(INITIALIZE);
    child.stdin?.write(INITIALIZED);
    const list = await line.exchange(request(1, 'tools/list'));
    if (!list.includes('add_999')) throw new Error(`${name} lists something else.`);
    lines.set(name, line);
  }
  const subjects = [...lines].map(([name, line]): Subject => ({
    name,
    async measure() {
      const started = performance.now();
      for (let id = 2; id < 7; id++) await line.exchange(request(id, 'tools/list'));
      return (performance.now() - started) / 5;
    },
  }));
  const times = await measureInRounds(subjects, ROUNDS);
  await Promise.all([...lines.values()].map((line) => line.stop()));
  const rows = [...lines.keys()].map((name) => [name, formatFigure(medianOf(times, name))]);
  return {
    times,
    table: {
      caption: 'tools/list with 1,000 tools over stdio, from request to the last byte:',
      head: ['Server', 'ms'],
      rows,
    },
  };
}

async function measureColdStart(): Promise<Measured & { readonly times: Timings }> {
  const file = `${scripts}pegboard.yaml`;
  const tools = Array.from(
    { length: 100 },
    (_, index) => `  - name: add_${index}
    type: cli
    description: Adds two numbers and gives their sum
    command: expr
    risk: read
    args:
      - { name: a, type: integer, positional: true, required: true, description: The first }
      - { name: b, type: integer, positional: true, required: true, description: The second }
`,
  );
  writeFileSync(file, `name: bench\ntools:\n${tools.join('')}`);
  const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
  const commands: Readonly<Record<string, readonly string[]>> = {
    [BARE]: ['-e', 'process.stdin.once("data", () => process.stdout.write("x\\n"))'],
    [OURS]: [cli, 'serve', file],
    [OFFICIAL]: [SCRIPTS[OFFICIAL] ?? '', 'stdio', '1'],
    [FASTMCP]: [SCRIPTS[FASTMCP] ?? '', 'stdio', '1'],
  };
  const subjects = Object.entries(commands).map(([name, args]): Subject => ({
    name,
    measure: () => timeToFirstAnswer(args, INITIALIZE),
  }));
  await measureInRounds(subjects, 1);
  const times = await measureInRounds(subjects, ROUNDS);
  const rows = Object.keys(commands).map((name) => [
    name === OURS ? `${OURS} serve, a file of 100 tools` : name,
    formatFigure(medianOf(times, name)),
    ratioOf(times, name, BARE).toFixed(1),
  ]);
  return {
    times,
    table: {
      caption: 'From the start of the process to the answer to initialize:',
      head: ['Server', 'ms', `× ${BARE}`],
      rows,
    },
  };
}

async function medianLatency(line: StdioLine, calls: number): Promise<number> {
  const times: number[] = [];
  for (let id = 1; id <= calls; id++) {
    const message = request(id, 'tools/call', CALL);
    const started = performance.now();
    await line.exchange(message);
    times.push((performance.now() - started) * 1000);
  }
  return times.toSorted((a, b) => a - b)[calls >> 1] ?? Number.NaN;
}

async function pipelined(line: StdioLine, calls: number): Promise<number> {
  const messages = batch(calls);
  const started = performance.now();
  await line.exchange(messages, calls);
  return calls / ((performance.now() - started) / 1000);
}

function batch(calls: number): string {
  return Array.from({ length: calls }, (_, index) => request(index + 1, 'tools/call', CALL)).join('');
}
