// Runs the benchmarks: node bench/run.ts [name…] [--write]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from './describe-machine.ts';
import { forkBench } from './fork-bench.ts';
import { prepare } from './prepare.ts';
import { type BenchReport, toMarkdown } from './report.ts';
import { writeDocs } from './write-docs.ts';

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
  'mcp',
  'tokens',
  'agent-loop',
];
/** Need data that is not part of the project, or take long, and have pages of their own: they run only when they are named. */
const NAMED_ONLY = ['discovery', 'discovery-embedder', 'mcp-client', 'rag', 'rag-index'];
const KNOWN = [...BENCHES, ...NAMED_ONLY];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
const unknown = positionals.find((name) => !KNOWN.includes(name));
if (unknown !== undefined) throw new Error(`Unknown benchmark "${unknown}". Use one of: ${KNOWN.join(', ')}.`);

prepare(ROOT);
console.log(`\n${describeMachine(ROOT)}`);
const reports: BenchReport[] = [];
for (const name of positionals.length === 0 ? BENCHES : positionals) {
  // A process of its own, so that none is warmed up or slowed down by another; only `publish` sends anything.
  const report = (await forkBench(`${name}.ts`, values.write === true ? ['--write'] : [])) as BenchReport;
  console.log(`\n## ${name}\n\n${toMarkdown(report)}`);
  reports.push(report);
}
if (values.write === true) {
  writeDocs(
    ROOT,
    reports.filter(({ name }) => !NAMED_ONLY.includes(name)),
  );
}
if (reports.some(({ bars }) => bars.some(({ passed }) => !passed))) process.exitCode = 1;
