import type { BenchPart } from './bench-part.ts';
import { atMost, formatFigure } from '../report.ts';
import { measureInRounds, medianOf, ratioOf, type Subject, type Timings } from '../rounds.ts';
import { BenchMachine, endServer, memoryOf } from './bench-machine.ts';

const STARTS = 31;
const COLD_STARTS = 11;
const WARM_UP = 2;
const MEGABYTE = 1_000_000;
/** Node alone: answers whatever comes with one line. */
const BARE_SERVER = `process.stdin.on('data', () => process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\\n'));`;

const BARE = 'node, with one line of code';
const BARE_RUN = 'node, to its end';
const FRONT = 'front, board running';
const COLD = 'front, no board yet';
const ALONE = 'pegboard serve --standalone';
const CALL = 'pegboard call, board running';

/** Measures the time to the first answer of fronts with and without a board, and their memory. */
export async function measureStarts(): Promise<BenchPart> {
  const machine = new BenchMachine();
  const say = {
    name: 'say',
    type: 'cli',
    description: 'Say',
    command: 'echo',
    risk: 'read',
    args: [{ name: 'text', positional: true }],
  };
  const [folder, cold] = [machine.write('warm', { tools: [say] }), machine.write('cold', { tools: [say] })];
  const memory = new Map<string, number[]>();
  const starting = (name: string, args: readonly string[], cwd = folder): Subject => ({
    name,
    measure: async () => {
      const started = await machine.start(args, cwd);
      memory.set(name, [...(memory.get(name) ?? []), memoryOf(started.child.pid ?? 0)]);
      await endServer(started);
      return started.milliseconds;
    },
  });
  const bare = ['-e', BARE_SERVER];
  const subjects: Subject[] = [
    starting(BARE, bare),
    starting(FRONT, machine.command('serve')),
    { name: BARE_RUN, measure: () => machine.run(['-e', '0'], folder) },
    { name: CALL, measure: () => machine.run(machine.command('call', 'say', '--arg', 'text=hi'), folder) },
  ];
  const keeper = await machine.start(machine.command('serve'), folder);
  await measureInRounds(subjects, WARM_UP);
  memory.clear();
  const warm = await measureInRounds(subjects, STARTS);
  await endServer(keeper);
  await machine.stopBoards();
  const others = [
    starting(BARE, bare, cold),
    starting(ALONE, machine.command('serve', '--standalone'), cold),
    starting(COLD, machine.command('serve'), cold),
  ];
  const stopping = others.map((subject) => ({
    ...subject,
    measure: async () => {
      const time = await subject.measure();
      await machine.stopBoards();
      return time;
    },
  }));
  await measureInRounds(stopping, WARM_UP);
  const colds = await measureInRounds(stopping, COLD_STARTS);
  await machine.close();
  const memoryTimings: Timings = memory;
  const row = (name: string, timings: Timings, base: string): string[] => [
    name,
    formatFigure(medianOf(timings, name)),
    ratioOf(timings, name, base).toFixed(2),
    memory.has(name) ? formatFigure(medianOf(memoryTimings, name) / MEGABYTE) : '',
  ];
  const later = medianOf(colds, COLD) - medianOf(colds, ALONE);
  return {
    table: {
      caption: `Start to the first answer, or to the end, median of ${STARTS} and ${COLD_STARTS} starts:`,
      head: ['Way', 'ms', '× node', 'MB of memory'],
      rows: [
        row(BARE, warm, BARE),
        row(FRONT, warm, BARE),
        row(COLD, colds, BARE),
        row(ALONE, colds, BARE),
        row(BARE_RUN, warm, BARE_RUN),
        row(CALL, warm, BARE_RUN),
      ],
    },
    bars: [
      atMost(
        'a front takes at most 1.25 × the memory of node',
        medianOf(memoryTimings, FRONT) / medianOf(memoryTimings, BARE),
        { limit: 1.25, unit: '×' },
      ),
      atMost('with a board running, it answers within 1.5 × the time of node', ratioOf(warm, FRONT, BARE), {
        limit: 1.5,
        unit: '×',
      }),
      atMost('with no board yet, within that of --standalone and 1 × node', later / medianOf(colds, BARE), {
        limit: 1,
        unit: '× node more',
      }),
      atMost('pegboard call with a board running takes at most 1.8 × node', ratioOf(warm, CALL, BARE_RUN), {
        limit: 1.8,
        unit: '×',
      }),
    ],
  };
}
