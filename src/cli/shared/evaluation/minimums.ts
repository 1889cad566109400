import { listOption, valueOption } from '../command.ts';
import { type Measure, MEASURES, type Measures } from '../../../discovery/eval/measures.ts';
import { UsageError } from '../usage-error.ts';

/** The minimum of a measure. */
export interface Minimum {
  readonly measure: Measure;
  readonly least: number;
}

/** The options of commands that evaluate. */
export const MINIMUM_OPTIONS = {
  min: listOption('MEASURE=LEAST', 'Fail below this, such as recall@5=0.9; may be given several times'),
  misses: valueOption('COUNT', 'The number of misses to show (default: 10)'),
} as const;

/** Parses `recall@5=0.9` or `recall@5=90%`. */
export function parseMinimum(text: string, command: string): Minimum {
  const [name = '', value = ''] = text.split('=');
  const measure = MEASURES.find((one) => one === name.trim().toLowerCase());
  if (measure === undefined) {
    throw new UsageError(`--min has no measure "${name}". Use one of: ${MEASURES.join(', ')}.`, command);
  }
  const isPercent = value.trim().endsWith('%');
  const number = Number(isPercent ? value.trim().slice(0, -1) : value.trim() || Number.NaN);
  const least = isPercent ? number / 100 : number;
  if (least >= 0 && least <= 1) return { measure, least };
  throw new UsageError(`--min ${name} must be from 0 to 1, or a percentage; got "${value}".`, command);
}

/** Lists the minimums that are not reached, each as a sentence. */
export function findShortfalls(measures: Measures, minimums: readonly Minimum[]): string[] {
  return minimums.flatMap(({ measure, least }) => {
    const value = measures[measure];
    // Compares the exact value: 0.8996 is less than 0.9.
    return value >= least ? [] : [`${measure} is ${value.toFixed(3)}, less than ${least.toFixed(3)}.`];
  });
}
