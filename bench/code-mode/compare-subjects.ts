import { formatFigure, type Table } from '../report.ts';
import { forkApart } from './fork-apart.ts';

/** What programs cost in one way to run them, in milliseconds and microseconds. */
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

const FILE = new URL('./measure-subject.ts', import.meta.url);
/** Milliseconds. */
const MAX_TIME = 60_000;

/** Measures ways to run programs beside each other, each in a process of its own. */
export async function compareSubjects(): Promise<Table> {
  const rows: string[][] = [];
  for (const [name, label] of SUBJECTS) {
    // It sends what it measured.
    const figures = (await forkApart(FILE, { args: [name], time: MAX_TIME })) as SubjectFigures | undefined;
    if (figures === undefined) rows.push([label, 'failed', '', '']);
    else {
      const { first, next, call } = figures;
      rows.push([label, `${formatFigure(first)} ms`, `${formatFigure(next)} ms`, `${formatFigure(call)} µs`]);
    }
  }
  return {
    caption: 'Programs elsewhere, each in a process of its own:',
    head: ['Subject', 'First program', 'A further one', 'A call from a program'],
    rows,
  };
}
