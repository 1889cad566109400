import { percentile } from '../rag/percentile.ts';
import { formatFigure, type Table } from '../report.ts';
import { forkApart } from './fork-apart.ts';

/** The cost of programs in one runtime, in milliseconds and microseconds. */
export interface SubjectFigures {
  /** The first program of a process, with all that is loaded for it. */
  readonly first: number;
  /** A further program that does nothing. */
  readonly next: number;
  /** A call from a program, in microseconds. */
  readonly call: number;
}

const SUBJECTS = [
  ['pegboard', 'Pegboard: a thread, each call through the pipeline'],
  ['ai-sdk', '@ai-sdk/code-mode: a thread, `run`'],
  ['utcp', '@utcp/code-mode: isolated-vm, calls block the program'],
  ['run', 'run: a thread, the engine below the AI SDK'],
  ['quickjs-wasi', 'quickjs-wasi: the engine alone, on the main thread'],
  ['quickjs-emscripten', 'quickjs-emscripten: the engine alone, on the main thread'],
] as const;

const ROUNDS = 3;
const FILE = new URL('./measure-subject.ts', import.meta.url);
/** Milliseconds. */
const MAX_TIME = 60_000;

/** Measures ways to run programs beside each other, each in processes of its own that take turns. */
export async function compareSubjects(): Promise<Table> {
  const measured = new Map<string, SubjectFigures[]>(SUBJECTS.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, all] of measured) {
      // It sends what it measured.
      const figures = (await forkApart(FILE, { args: [name], time: MAX_TIME })) as SubjectFigures | undefined;
      if (figures !== undefined) all.push(figures);
    }
  const rows = SUBJECTS.map(([name, label]) => {
    const all = measured.get(name) ?? [];
    const middle = (key: keyof SubjectFigures): string =>
      formatFigure(
        percentile(
          all.map((one) => one[key]),
          0.5,
        ),
      );
    if (all.length === 0) return [label, 'failed', '', ''];
    return [label, `${middle('first')} ms`, `${middle('next')} ms`, `${middle('call')} µs`];
  });
  return {
    caption: `Programs elsewhere, median of ${ROUNDS} processes each:`,
    head: ['Subject', 'First program', 'A further one', 'A call from a program'],
    rows,
  };
}
