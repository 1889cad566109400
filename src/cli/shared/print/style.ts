import type { TextStyle } from '../../../load/features/feature-command.ts';
export type { TextStyle } from '../../../load/features/feature-command.ts';
import type { CliContext } from '../cli-context.ts';
import { type CliOutput, ownColour } from './gate-output.ts';

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Creates the colours of a stream: on a terminal unless `NO_COLOR` is set, elsewhere if `FORCE_COLOR` is set. */
export function createStyle(output: CliOutput, env: CliContext['env']): TextStyle {
  const isOn = hasColours(output, env);
  const paint =
    (format: keyof typeof CODES) =>
    (text: string): string => {
      if (!isOn || text === '') return text;
      const [start, end] = CODES[format];
      return `${ownColour(start)}${text}${ownColour(end)}`;
    };
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  };
}

function hasColours(output: CliOutput, env: CliContext['env']): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return output.isTTY === true && env['TERM'] !== 'dumb';
}
