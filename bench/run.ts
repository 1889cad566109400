// Runs the benchmarks: node bench/run.ts [name…] [--write]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from './describe-machine.ts';
import { fillPages } from './fill-pages.ts';
import { forkBench } from './fork-bench.ts';
import { prepare } from './prepare.ts';
import { type BenchReport, toMarkdown } from './report.ts';
import { mergeResults, readResults, readStamp, writeResults } from './results.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BENCHES = [
  'call-overhead',
  'registering',
  'first-check',
  'import-cost',
  'config-load',
  'cli-call',
  'http-call',
  'gateway',
  'one-board',
  'servers',
  'mcp',
  'tokens',
  'agent-loop',
  'record',
  'replicas',
  'resume',
  'approvals',
  'journal',
];
/** README shows figures of these too. They need data that is not part of the project. */
const WITH_DATA = ['discovery'];
/** Take long or need more data: they run only when they are named. */
const NAMED_ONLY = [
  'code-mode',
  'discovery-embedder',
  'embedding',
  'faults',
  'mcp-client',
  'rag',
  'rag-index',
  'rag-postgres',
  'rag-vectors',
];
/** Nothing on the pages is filled in from these. */
const UNPUBLISHED = new Set(['mcp-client', 'rag-index']);
const KNOWN = [...BENCHES, ...WITH_DATA, ...NAMED_ONLY];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
const unknown = positionals.find((name) => !KNOWN.includes(name));
if (unknown !== undefined) throw new Error(`Unknown benchmark "${unknown}". Use one of: ${KNOWN.join(', ')}.`);
const write = values.write === true;
const isWhole = write && positionals.length === 0;
const names = positionals.length > 0 ? positionals : [...BENCHES, ...(write ? WITH_DATA : [])];

// Each measured process stands for itself; the bench of shared boards asks for them.
process.env['PEGBOARD_STANDALONE'] ??= '1';
const stamp = readStamp(ROOT);
prepare(ROOT);
const machine = describeMachine(ROOT);
console.log(`\npegboard ${stamp.version}, commit ${stamp.commit}; Node ${machine.node}; ${machine.processors}`);
const reports: BenchReport[] = [];
for (const name of names) {
  // A process of its own, so that none is warmed up or slowed down by another; only `publish` sends anything.
  const report = (await forkBench(`${name}.ts`, write ? ['--write'] : [])) as BenchReport;
  console.log(`\n## ${name}\n\n${toMarkdown(report)}`);
  reports.push(report);
}
if (write) {
  const command = ['npm run bench --', ...positionals, '--write'].join(' ');
  const published = reports.filter(({ name }) => !UNPUBLISHED.has(name));
  const results = mergeResults(readResults(ROOT), { ...stamp, command, machine, reports: published, isWhole });
  writeResults(ROOT, results);
  fillPages(ROOT, results);
}
if (reports.some(({ bars }) => bars.some(({ passed }) => !passed))) process.exitCode = 1;
