import type { SourcePlace } from '../diagnostics/diagnostic.ts';

/** The text of a config file. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** The line and column of a position in the text. */
export function placeAt({ text }: SourceText, start: number, end: number = start + 1): SourcePlace {
  const from = Math.min(Math.max(0, start), text.length);
  const lineStart = from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', from);
  const lineEnd = next === -1 ? text.length : next;
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < from; at = text.indexOf('\n', at + 1)) line++;
  return {
    line,
    column: from - lineStart + 1,
    length: Math.max(1, Math.min(end, lineEnd) - from),
    text: text.slice(lineStart, lineEnd).replace(/\r$/, ''),
  };
}
