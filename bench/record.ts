// Measures the cost of the record of calls: nothing when it is off, little during the call, and the rest after it.
import { forkBench } from './fork-bench.ts';
import { atMost, formatFigure, publish } from './report.ts';
import { differenceOf, joinTimings, medianOf, ratioOf, type Timings } from './rounds.ts';

/** V8 does not optimise the same code the same way each time, so one process alone may be lucky or not. */
const PROCESSES = 3;

const runs: Timings[] = [];
for (let run = 0; run < PROCESSES; run++) {
  // record-rounds.ts sends the entries of its timings.
  runs.push(new Map((await forkBench('record-rounds.ts')) as [string, number[]][]));
}
const timings = joinTimings(runs);
const levels = ['off', 'summary', 'full', 'summary, sealed'];

publish({
  name: 'record',
  tables: [
    {
      caption: `One call of a tool with three fields on a board, median of all rounds of ${PROCESSES} processes:`,
      head: ['Record', 'µs per call', '× off', 'µs more than off', 'µs with its line written'],
      rows: levels.map((level) => [
        level,
        toMicroseconds(medianOf(timings, level)),
        ratioOf(timings, level, 'off').toFixed(2),
        toMicroseconds(differenceOf(timings, level, 'off')),
        toMicroseconds(medianOf(timings, `${level}, written`)),
      ]),
    },
  ],
  bars: [
    atMost("a summary costs at most 1 µs on the call's own way", differenceOf(timings, 'summary', 'off') / 1_000, {
      limit: 1,
      unit: 'µs',
    }),
  ],
});

function toMicroseconds(nanoseconds: number): string {
  return formatFigure(nanoseconds / 1_000);
}
