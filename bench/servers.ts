// Measures the cost of other MCP servers for a command that needs none of them: one that hangs, and ten that sleep.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, formatFigure, publish } from './report.ts';
import { measureInRounds, medianOf, ratioOf, type Subject } from './rounds.ts';

const ROUNDS = 31;
const WARM_UP = 3;
const SLEEPING = 10;
const LIMIT = 1.1;
const CLI = join(import.meta.dirname, '../dist/cli.js');
const SERVER = join(import.meta.dirname, 'gateway/raw-server.ts');

const folder = mkdtempSync(join(tmpdir(), 'pegboard-servers-'));
const tools = [
  {
    name: 'say',
    type: 'cli',
    description: 'Say something',
    command: 'echo',
    args: [{ name: 'text', positional: true, required: true }],
  },
];
const sleeping = Object.fromEntries(
  Array.from({ length: SLEEPING }, (_, n) => [`s${n}`, { command: process.execPath, args: [SERVER] }]),
);
const stuck = { command: 'sleep', args: ['1000'] };
const bare = board('bare', { tools });
const full = board('full', { tools, mcpServers: sleeping });
execFileSync(process.execPath, [CLI, 'list', '--wait'], { cwd: full, stdio: 'ignore' });
board('full', { tools, mcpServers: { stuck, ...sleeping } });

const WAYS: Readonly<Record<string, (cwd: string) => Promise<number>>> = {
  'pegboard list': (cwd) => timeCommand(['list'], cwd),
  'pegboard serve, to the answer of initialize': timeServe,
  'pegboard call of a local tool': (cwd) => timeCommand(['call', 'say', '--arg', 'text=hi'], cwd),
};
const withServers = (way: string): string => `${way}, with servers`;
const subjects: Subject[] = Object.entries(WAYS).flatMap(([way, measure]) => [
  { name: way, measure: () => measure(bare) },
  { name: withServers(way), measure: () => measure(full) },
]);
await measureInRounds(subjects, WARM_UP);
const timings = await measureInRounds(subjects, ROUNDS);
rmSync(folder, { recursive: true, force: true });

const ways = Object.keys(WAYS);
publish({
  name: 'servers',
  tables: [
    {
      caption: `A board without servers, and one with a server that hangs and ${SLEEPING} that are not running, median of ${ROUNDS} starts:`,
      head: ['What', 'ms without', 'ms with', '×'],
      rows: ways.map((way) => [
        way,
        formatFigure(medianOf(timings, way)),
        formatFigure(medianOf(timings, withServers(way))),
        ratioOf(timings, withServers(way), way).toFixed(2),
      ]),
    },
  ],
  bars: ways.map((way) =>
    atMost(`${way} takes at most ${LIMIT} × with them`, ratioOf(timings, withServers(way), way), {
      limit: LIMIT,
      unit: '×',
    }),
  ),
});

function board(name: string, config: unknown): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'pegboard.yaml'), JSON.stringify(config));
  return path;
}

async function timeCommand(args: readonly string[], cwd: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [CLI, ...args], { cwd, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`pegboard ${args.join(' ')} ended with ${code}.`);
  return performance.now() - start;
}

async function timeServe(cwd: string): Promise<number> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const start = performance.now();
  const child = spawn(process.execPath, [CLI, 'serve'], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await once(child.stdout, 'data');
  const time = performance.now() - start;
  child.kill();
  await once(child, 'exit');
  return time;
}
