import { ToolError } from '../core/tool-error.ts';
import { formatPath } from '../core/explain-issues.ts';
import { showHidden } from '../lock/show-hidden.ts';
import { stripEscapes } from '../process/strip-escapes.ts';

/** A place in a config file, counted from 1. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
  /** How many characters the thing at fault has on its line. */
  readonly length: number;
  /** The whole line, without its end. */
  readonly text: string;
}

/** Something to tell the author of a config file. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'note';
  readonly file: string;
  /** Where in the data, as keys and indexes. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly place?: SourcePlace | undefined;
}

const MAX_SHOWN_LINE = 120;

/** `tools.yaml:14:5 tools[2].risk: must be …`, then the line with a caret under the fault. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { file, path, place, message } = diagnostic;
  const where = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  // Names and words of other people's servers are among these: they must not draw on a terminal, nor look like more lines.
  const told = stripEscapes(message);
  const what = path.length === 0 ? told : `${showHidden(formatPath(path))}: ${told}`;
  return place === undefined ? `${where} ${what}` : `${where} ${what}\n${drawPlace(place)}`;
}

function drawPlace({ line, column, length, text }: SourcePlace): string {
  const at = Math.min(column - 1, text.length);
  const start = Math.max(0, at - 80);
  const shown = text.slice(start, start + MAX_SHOWN_LINE).replaceAll('\t', ' ');
  const room = Math.max(1, Math.min(length, shown.length - (at - start)));
  const gutter = String(line).padStart(5);
  return `${gutter} | ${shown}\n${' '.repeat(5)} | ${' '.repeat(at - start)}${'^'.repeat(room)}`;
}

/** Config that cannot be used. `diagnostics` has every fault, the message shows them all. */
export class ConfigError extends ToolError {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    super({
      code: 'invalid_arguments',
      message: errors.map(formatDiagnostic).join('\n'),
      issues: errors.map(({ path, message }) => ({ path, message })),
    });
    this.name = 'ConfigError';
    this.diagnostics = diagnostics;
  }
}
