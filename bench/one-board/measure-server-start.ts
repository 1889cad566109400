import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { atMost, formatFigure } from '../report.ts';
import { measureInRounds, medianOf, ratioOf, type Subject } from '../rounds.ts';
import { BenchMachine, message } from './bench-machine.ts';
import type { BenchPart } from './bench-part.ts';

const ROUNDS = 7;
const PACKAGE = '@modelcontextprotocol/server-memory';
const PLAIN = 'node FILE';
const NPX = 'npx -y NAME@VERSION';

/** Measures the time from the start of a board to the tools of a server, by the command of its entry. */
export async function measureServerStart(): Promise<BenchPart> {
  const machine = new BenchMachine();
  const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const entries = {
    [PLAIN]: { command: process.execPath, args: [join(dirname(manifest), 'dist/index.js')] },
    // Finds the package in the folder of the project, without a network.
    [NPX]: { command: 'npx', args: ['-y', `${PACKAGE}@${version}`], cwd: join(import.meta.dirname, '../..') },
  };
  const subjects = Object.entries(entries).map(([name, entry], at): Subject => {
    const board = { serve: { mode: 'classic', first_list: '1h' }, mcpServers: { memory: entry } };
    const folder = machine.write(`npm-${at}`, board);
    let round = 0;
    return { name, measure: () => timeTools(machine, { folder, data: join(machine.folder, `data-${at}-${round++}`) }) };
  });
  await measureInRounds(subjects, 1);
  const timings = await measureInRounds(subjects, ROUNDS);
  await machine.close();
  const ratio = ratioOf(timings, NPX, PLAIN);
  return {
    table: {
      caption: `From the start of a board to the tools of its server, median of ${ROUNDS} starts:`,
      head: ['Entry', 'ms', `× ${PLAIN}`],
      rows: [PLAIN, NPX].map((name) => [
        name,
        formatFigure(medianOf(timings, name)),
        ratioOf(timings, name, PLAIN).toFixed(2),
      ]),
    },
    bars: [atMost('a server from npm starts within 1.1 × of its plain file', ratio, { limit: 1.1, unit: '×' })],
  };
}

async function timeTools(
  machine: BenchMachine,
  { folder, data }: { readonly folder: string; readonly data: string },
): Promise<number> {
  const start = performance.now();
  const env = { ...machine.env, PEGBOARD_DATA: data };
  const args = machine.command('serve', '--standalone', '--eager');
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  child.stdin.write(message(1, 'initialize', params) + message(2, 'tools/list'));
  let time = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('"id":2,')) continue;
    if (!line.includes('read_graph')) throw new Error(`The server has not started: ${line.slice(0, 300)}`);
    time = performance.now() - start;
    break;
  }
  child.kill();
  return time;
}
