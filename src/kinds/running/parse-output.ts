import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { decodeOutput, stripEscapes } from '../../platform/outputs/decode-output.ts';
import { describeOutput } from '../../platform/process/describe-exit.ts';
import type { ProcessExit } from '../../platform/process/process-request.ts';
import type { OutputStyle } from './run-settings.ts';

/** Removes secrets from a text before it is parsed: afterwards their parts would not be found. */
type Redact = (text: string) => string;

/** Parses the output of a command as data; the text stays unchanged. Fails if it cannot be parsed. */
export function parseOutput({ stdout }: ProcessExit, style: OutputStyle, redact: Redact): ToolResult {
  if (style.type === 'json') return jsonResult(stdout, redact);
  const isCut = stdout.type === 'shortened';
  const decoded = decodeOutput(isCut ? stdout.head : stdout.bytes);
  if (decoded.type === 'binary') return refuse('text', describeOutput(stdout));
  const whole = redact(stripEscapes(decoded.text));
  // The last line of a cut text may be incomplete.
  const text = isCut ? whole.slice(0, whole.lastIndexOf('\n') + 1) : whole;
  const shown = describeOutput(stdout);
  const answer = (data: object, isWhole: boolean): ToolResult =>
    ToolResult.from({
      text: shown === '' ? '(no output)' : shown,
      data: isCut || !isWhole ? { ...data, truncated: true } : data,
    });
  if (style.type === 'table') {
    const { rows, isWhole } = parseTable(text, style);
    return answer({ rows }, isWhole);
  }
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  // A final line end starts no further line.
  if (lines.at(-1) === '') lines.pop();
  if (style.type === 'lines') return answer({ lines: lines.slice(0, style.maxRows) }, lines.length <= style.maxRows);
  const written = lines.filter((line) => line.trim() !== '');
  const rows: unknown[] = [];
  for (const line of written.slice(0, style.maxRows)) {
    const value = parseJson(line);
    if (value === undefined) return refuse('a JSON value on each line', line);
    rows.push(value);
  }
  return answer({ rows }, written.length <= style.maxRows);
}

function jsonResult(stdout: ProcessExit['stdout'], redact: Redact): ToolResult {
  if (stdout.type === 'shortened') {
    const { size, stored } = stdout;
    const where =
      stored === undefined ? '' : ` It is kept: read it with output_read or output_search, id "${stored.id}".`;
    const text = `The command printed ${size.toLocaleString('en-US')} bytes of JSON, more than its max_output.${where}`;
    return ToolResult.error(new ToolError({ code: 'output_too_large', message: text }));
  }
  const decoded = decodeOutput(stdout.bytes);
  const value = decoded.type === 'text' ? parseJson(decoded.text) : undefined;
  if (value === undefined) return refuse('JSON', redact(describeOutput(stdout)));
  const { text, data } = ToolResult.json(value);
  return ToolResult.from({ text, data, meta: { isStructured: true } });
}

/** Parses a JSON value; `undefined` if it is invalid. */
function parseJson(text: string): unknown {
  try {
    // JSON has no `undefined`.
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `printed` is already redacted: half of a secret would not be found later. */
function refuse(wanted: string, printed: string): ToolResult {
  const shown = printed.slice(0, 500);
  const message = `The command should have printed ${wanted} but printed something else: ${shown === '' ? '(no output)' : shown}`;
  return ToolResult.error(new ToolError({ code: 'execution_failed', message }));
}

type TableStyle = Pick<OutputStyle, 'separator' | 'columns' | 'maxRows'>;

/** One row, with its cells by column name. */
export type TableRow = Readonly<Record<string, string>>;

/** More columns than a table for people has: other text must not become millions of cells. */
const MAX_COLUMNS = 200;
/** Rows of only these characters separate other rows. */
const RULE = /^[\s|+=-]*[-=]{2}[\s|+=-]*$/;

/**
 * Parses a table. Columns without a separator are split at spaces that all rows share, as in `df`, `docker ps` and `kubectl get`.
 */
export function parseTable(text: string, style: TableStyle): { readonly rows: TableRow[]; readonly isWhole: boolean } {
  const { separator, columns, maxRows } = style;
  const all = separator === undefined ? splitAligned(text, style) : splitSeparated(text, separator, maxRows + 2);
  const names = uniqueNames((columns ?? all[0] ?? []).slice(0, MAX_COLUMNS));
  const body = columns === undefined ? all.slice(1) : all;
  const rows = body
    .slice(0, maxRows)
    .map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])));
  return { rows, isWhole: body.length <= maxRows };
}

/** `ID`, `ID_2` for a repeated name; a column without a name gets its number. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((given, index) => {
    const name = given === '' ? String(index + 1) : given;
    let free = name;
    for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
    taken.add(free);
    return free;
  });
}

/** Splits at separators; a cell in double quotes may contain the separator, line ends, and `""` for a quote. */
function splitSeparated(text: string, separator: string, most: number): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let wasQuoted = false;
  const endCell = (): void => {
    cells.push(wasQuoted ? cell : cell.trim());
    cell = '';
    wasQuoted = false;
  };
  const endRow = (): void => {
    endCell();
    const isBlank = cells.length === 1 && cells[0] === '';
    if (!isBlank && !RULE.test(cells.join(separator))) rows.push(cells);
    cells = [];
  };
  for (let at = 0; at < text.length && rows.length < most; at++) {
    const character = text.charAt(at);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text.charAt(at + 1) === '"') cell += text.charAt(++at);
      else isQuoted = false;
    } else if (character === '"' && cell.trim() === '' && !wasQuoted) {
      isQuoted = true;
      wasQuoted = true;
      cell = '';
    } else if (text.startsWith(separator, at)) {
      endCell();
      at += separator.length - 1;
    } else if (character === '\n') {
      endRow();
    } else if (character !== '\r') {
      cell += character;
    }
  }
  if (cell !== '' || cells.length > 0 || wasQuoted) endRow();
  return rows;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Splits aligned columns. */
function splitAligned(text: string, { columns, maxRows }: TableStyle): string[][] {
  const lines = text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !RULE.test(line))
    // The names and one more than is read, to detect further rows.
    .slice(0, maxRows + 2);
  const [header] = lines;
  if (header === undefined) return [];
  if (header.includes('\t')) return splitSeparated(lines.join('\n'), '\t', maxRows + 2);
  if (columns !== undefined) return lines.map((line) => splitWords(line, columns.length));
  const spans = mergeSpans(findSpans(lines), header, lines.slice(1)).slice(0, MAX_COLUMNS);
  const names = spans.map((span) => cellIn(header, span));
  // A value longer than its column has shifted the others: one name covers several columns.
  if (names.some((name) => /\s{2}/.test(name))) {
    const count = Math.min(MAX_COLUMNS, header.trim().split(/\s+/).length);
    return lines.map((line) => splitWords(line, count));
  }
  return lines.map((line) => spans.map((span) => cellIn(line, span)));
}

/** Splits at spaces; the last word has the rest of the line. */
function splitWords(line: string, count: number): string[] {
  const words = line.trim().split(/\s+/);
  if (words.length <= count) return words;
  const rest = new RegExp(String.raw`^\s*(?:\S+\s+){${count - 1}}`).exec(line)?.[0].length ?? 0;
  return [...words.slice(0, count - 1), line.slice(rest).trim()];
}

/** Returns the column ranges in which some line has a character. */
function findSpans(lines: readonly string[]): Span[] {
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const isUsed = new Uint8Array(width);
  for (const line of lines) {
    for (let at = 0; at < line.length; at++) if (line.charCodeAt(at) !== 32) isUsed[at] = 1;
  }
  const spans: Span[] = [];
  for (let at = 0; at < width; at++) {
    if (isUsed[at] === 0) continue;
    const start = at;
    while (at < width && isUsed[at] === 1) at++;
    spans.push({ start, end: at });
  }
  return spans;
}

/** Joins the ranges of one column: spaces within values that happen to align, and names of two words such as `Mounted on`. */
function mergeSpans(spans: readonly Span[], header: string, rows: readonly string[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    const hasName = cellIn(header, span) !== '';
    const isWord = /^\S \S$/.test(header.slice(span.start - 2, span.start + 1));
    const isPart = !hasName || (isWord && rows.every((row) => cellIn(row, span) === ''));
    if (last !== undefined && isPart) merged[merged.length - 1] = { start: last.start, end: span.end };
    else merged.push(span);
  }
  return merged;
}

function cellIn(line: string, { start, end }: Span): string {
  return line.slice(start, end).trim();
}
