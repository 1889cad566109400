import { styleText } from 'node:util';
import type { CliContext, CliOutput } from './cli-context.ts';

type Paint = (text: string) => string;

/** Colours for one stream; each function gives the text back as it is where colours do not belong. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** The colours of a stream: on a terminal, unless `NO_COLOR` is set; anywhere when `FORCE_COLOR` is. */
export function createStyle(output: CliOutput, env: CliContext['env']): Style {
  const isOn = hasColours(output, env);
  const paint =
    (format: keyof Style): Paint =>
    (text) =>
      isOn && text !== '' ? styleText(format, text, { validateStream: false }) : text;
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
