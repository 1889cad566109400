import type { Redactor } from '../../../guard/secrets/redactor.ts';
import type { EvalMiss, Evaluation } from '../../../discovery/eval/evaluate.ts';
import { type DoubtShares, MEASURES } from '../../../discovery/eval/measures.ts';
import type { CliContext } from '../cli-context.ts';
import type { CommandAnswer } from '../command.ts';
import { alignColumns, toCell } from '../print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { clearLine } from '../print/gate-output.ts';

interface EvaluationOptions {
  /** The searched items: `8 tools`. */
  readonly among: string;
  readonly mostMisses: number;
  readonly shortfalls: readonly string[];
  readonly redactor: Redactor;
}

const MOST_FOUND = 5;

/** Describes an evaluation: figures, misses with the tools found instead, and measures below their minimum. */
export function describeEvaluation(
  evaluation: Omit<Evaluation, 'tools'>,
  options: EvaluationOptions,
): Omit<CommandAnswer, 'data'> {
  const { among, mostMisses, shortfalls, redactor } = options;
  const { queries, measures, tokens, latency, misses, doubt } = evaluation;
  const rows = [
    ...MEASURES.map((measure) => [measure, measures[measure].toFixed(3)]),
    ['tokens', `${tokens} per search`],
    ['latency', `${latency.p50.toFixed(1)} ms (p50), ${latency.p99.toFixed(1)} ms (p99)`],
    ...(doubt === undefined ? [] : [['doubted', describeDoubt(doubt)]]),
    ...(doubt?.best === undefined
      ? []
      : [['best', `${describeDoubt(doubt.best)}, with discovery.doubt_below: ${doubt.best.doubtBelow}`]]),
  ];
  const shown = misses.length > mostMisses ? `, the first ${mostMisses}` : '';
  const missed = `Not found in the first ten: ${misses.length} of ${queries}${shown}`;
  return {
    view: ({ bold }) =>
      [
        `${counted(queries, 'query', 'queries')}, ${among}`,
        ...alignColumns(rows),
        ...(misses.length > 0 && mostMisses > 0
          ? ['', bold(missed), ...misses.slice(0, mostMisses).flatMap(describe)]
          : []),
      ].map((line) => redactor.text(line)),
    notes: (style) => shortfalls.map((shortfall) => `${style.red('error')} ${shortfall}`),
    exitCode: shortfalls.length === 0 ? 0 : 1,
  };
}

function describeDoubt({ there, removed }: DoubtShares): string {
  return `${there.toFixed(3)}, and ${removed.toFixed(3)} without their tools`;
}

function describe({ query, missing, found, why = [] }: EvalMiss): string[] {
  const came = found.length === 0 ? 'nothing' : found.slice(0, MOST_FOUND).join(', ');
  const reasons = why.map((reason) => `  why       ${toCell(reason)}`);
  return [toCell(query), `  expected  ${missing.join(', ')}`, `  found     ${came}`, ...reasons];
}

/** Shows the progress of a long evaluation on a terminal. */
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
