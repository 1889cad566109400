import { ERROR_CLASS, ToolError } from '../../tool/tool-error.ts';
import { formatPath } from '../../tool/texts/explain-issues.ts';
import { revealHidden } from '../../tool/texts/reveal-hidden.ts';
import type { Redactor } from '../../guard/secrets/redactor.ts';

/** A place in a config file, counted from 1. */
export interface FilePlace {
  readonly line: number;
  readonly column: number;
  /** Number of characters at fault on the line. */
  readonly length: number;
  /** The full line without its end. */
  readonly text: string;
}

/** A message for the author of a config file. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'note';
  readonly file: string;
  /** The place in the data, as keys and indexes. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly place?: FilePlace | undefined;
}

const MAX_SHOWN_LINE = 120;

/** Formats a diagnostic: `tools.yaml:14:5 tools[2].risk: must be …`, then the line with a caret under the fault. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { file, path, place, message } = diagnostic;
  const name = toLine(file);
  const where = place === undefined ? name : `${name}:${place.line}:${place.column}`;
  // Some texts come from servers: they must not control the terminal or imitate further lines.
  const body = revealHidden(message).replaceAll('\n', '\n  ');
  const what = path.length === 0 ? body : `${toLine(formatPath(path))}: ${body}`;
  return place === undefined ? `${where} ${what}` : `${where} ${what}\n${drawPlace(place)}`;
}

function drawPlace({ line, column, length, text }: FilePlace): string {
  const at = Math.min(column - 1, text.length);
  const start = Math.max(0, at - 80);
  const end = Math.min(text.length, start + MAX_SHOWN_LINE);
  const fault = Math.min(at + length, end);
  // Each part separately, so that the caret stays in place when hidden characters are shown.
  const [before, marked, after] = [text.slice(start, at), text.slice(at, fault), text.slice(fault, end)].map((part) =>
    toLine(part.replaceAll('\t', ' ')),
  );
  const gutter = String(line).padStart(5);
  const room = Math.max(1, marked?.length ?? 0);
  return `${gutter} | ${before}${marked}${after}\n${' '.repeat(5)} | ${' '.repeat(before?.length ?? 0)}${'^'.repeat(room)}`;
}

/** Puts a foreign text on one line. */
function toLine(text: string): string {
  return revealHidden(text).replaceAll('\n', String.raw`\n`);
}

/** An invalid config. `diagnostics` contains every fault; the message shows them all. */
export class ConfigError extends ToolError {
  /** @internal */
  static override readonly [ERROR_CLASS]: string = 'ConfigError';

  /** All faults, warnings and notes. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    super({
      code: 'invalid_config',
      message: errors.map(formatDiagnostic).join('\n'),
      issues: errors.map(({ path, message }) => ({ path, message })),
    });
    this.name = 'ConfigError';
    this.diagnostics = diagnostics;
  }
}

/** Removes secrets from diagnostics: texts of servers, and the lines that name them, may contain anything. */
export function cleanDiagnostics(diagnostics: readonly Diagnostic[], redactor: Redactor): Diagnostic[] {
  if (redactor.isEmpty) return [...diagnostics];
  return diagnostics.map((diagnostic) => {
    const { message, place, path } = diagnostic;
    return {
      ...diagnostic,
      path: path.map((key) => (typeof key === 'string' ? redactor.text(key) : key)),
      message: redactor.text(message),
      // The replacement has the length of the secret, so that the caret stays in place.
      place: place === undefined ? undefined : { ...place, text: redactor.stars(place.text) },
    };
  });
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

export function throwErrors(diagnostics: readonly Diagnostic[]): void {
  if (hasErrors(diagnostics)) throw new ConfigError(diagnostics);
}
