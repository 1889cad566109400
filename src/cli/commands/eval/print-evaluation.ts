import type { Redactor } from '../../../guard/secrets/redactor.ts';
import type { EvalMiss, Evaluation } from '../../../discovery/eval/evaluate.ts';
import type { DoubtShares } from '../../../discovery/eval/measure-doubt.ts';
import { MEASURES } from '../../../discovery/eval/measures.ts';
import { type CliContext, printLine } from '../../cli-context.ts';
import { alignColumns, toCell } from '../../print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { clearLine } from '../../print/gate-output.ts';
import { createStyle } from '../../print/style.ts';

/** What is shown of an evaluation. */
interface PrintOptions {
  /** What was searched: `8 tools`. */
  readonly among: string;
  readonly mostMisses: number;
  readonly shortfalls: readonly string[];
  readonly redactor: Redactor;
  readonly context: CliContext;
}

const MOST_FOUND = 5;

/** Prints figures, misses with what came instead, and what fell short. */
export function printEvaluation(evaluation: Omit<Evaluation, 'tools'>, options: PrintOptions): void {
  const { among, mostMisses, shortfalls, redactor, context } = options;
  const { stdout, stderr, env } = context;
  const style = createStyle(stdout, env);
  const { queries, measures, tokens, latency, misses, doubt } = evaluation;
  const print = (text: string): void => printLine(stdout, redactor.text(text));
  print(`${counted(queries, 'query', 'queries')}, ${among}`);
  const rows = [
    ...MEASURES.map((measure) => [measure, measures[measure].toFixed(3)]),
    ['tokens', `${tokens} a search`],
    ['latency', `${latency.p50.toFixed(1)} ms (p50), ${latency.p99.toFixed(1)} ms (p99)`],
    ...(doubt === undefined ? [] : [['doubted', describeDoubt(doubt)]]),
    ...(doubt?.best === undefined
      ? []
      : [['best', `${describeDoubt(doubt.best)}, with discovery.doubt_below: ${doubt.best.doubtBelow}`]]),
  ];
  for (const line of alignColumns(rows)) print(line);
  if (misses.length > 0 && mostMisses > 0) {
    print('');
    const shown = misses.length > mostMisses ? `, the first ${mostMisses}` : '';
    print(style.bold(`Not found in the first ten: ${misses.length} of ${queries}${shown}`));
    for (const line of misses.slice(0, mostMisses).flatMap((miss) => describe(miss))) print(line);
  }
  const label = createStyle(stderr, env).red('error');
  for (const shortfall of shortfalls) printLine(stderr, `${label} ${shortfall}`);
}

function describeDoubt({ there, removed }: DoubtShares): string {
  return `${there.toFixed(3)}, and ${removed.toFixed(3)} without their tools`;
}

function describe({ query, missing, found, why = [] }: EvalMiss): string[] {
  const came = found.length === 0 ? 'nothing' : found.slice(0, MOST_FOUND).join(', ');
  const reasons = why.map((reason) => `  why       ${toCell(reason)}`);
  return [toCell(query), `  expected  ${missing.join(', ')}`, `  found     ${came}`, ...reasons];
}

/** Shows how far a long evaluation is, to a person. */
export function showProgress({ stderr }: CliContext): {
  readonly show: (done: number, total: number) => void;
  readonly end: () => void;
} {
  let shownAt = performance.now();
  let isShown = false;
  return {
    show: (done, total) => {
      if (stderr.isTTY !== true || performance.now() - shownAt < 100) return;
      shownAt = performance.now();
      isShown = true;
      stderr.write(`${clearLine()}${done} of ${total}`);
    },
    end: () => {
      if (isShown) stderr.write(clearLine());
    },
  };
}
