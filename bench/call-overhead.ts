// Measures the cost of calling one small tool, in every way.
import { BASE, createCallSubjects } from './call-subjects.ts';
import { forkBench } from './fork-bench.ts';
import { atMost, type Bar, formatFigure, publish } from './report.ts';
import { joinTimings, medianOf, ratioOf, type Timings } from './rounds.ts';

/** V8 does not optimise the same code the same way each time, so one process alone may be lucky or not. */
const PROCESSES = 7;

const runs: Timings[] = [];
for (let run = 0; run < PROCESSES; run++) {
  // call-rounds.ts sends the entries of its timings.
  runs.push(new Map((await forkBench('call-rounds.ts')) as [string, number[]][]));
}
const timings = joinTimings(runs);
const subjects = createCallSubjects();

publish({
  name: 'call-overhead',
  tables: [
    {
      caption: `One call of a tool with three fields, median of all rounds of ${PROCESSES} processes:`,
      head: ['Way', 'ns per call', `× ${BASE}`, 'by process'],
      rows: subjects.map(({ name }) => [
        name,
        formatFigure(medianOf(timings, name)),
        ratioToBase(name).toFixed(2),
        showRange(runs.map((run) => ratioOf(run, name, BASE))),
      ]),
    },
  ],
  bars: [
    atMost('tool.execute costs at most 1.5 × zod parse + call', ratioToBase('Pegboard tool.execute'), {
      limit: 1.5,
      unit: '×',
    }),
    atMost('registry.call costs at most 4 × zod parse + call', ratioToBase('Pegboard registry.call'), {
      limit: 4,
      unit: '×',
    }),
    atMost(
      'registry.call with two hooks costs at most 8 × zod parse + call',
      ratioToBase('Pegboard registry.call, two hooks'),
      { limit: 8, unit: '×' },
    ),
    fasterThanPeers(),
  ],
});

function ratioToBase(name: string): number {
  return ratioOf(timings, name, BASE);
}

function showRange(ratios: readonly number[]): string {
  return `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
}

function fasterThanPeers(): Bar {
  const peers = subjects.filter(({ from }) => from === 'peer');
  const ratios = peers.map(({ name }) => ({ name, ratio: ratioOf(timings, name, 'Pegboard registry.call') }));
  return {
    promise: 'registry.call is faster than every peer',
    measured: ratios.map(({ name, ratio }) => `${name.split(' ')[0]} takes ${formatFigure(ratio)} ×`).join(', '),
    passed: ratios.every(({ ratio }) => ratio > 1),
  };
}
