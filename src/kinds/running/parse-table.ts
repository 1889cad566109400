/** How a table is written. */
export interface TableStyle {
  /** What stands between the cells of a row; `undefined` for columns that are lined up with blanks. */
  readonly separator: string | undefined;
  /** The names of the columns, where the first row is none of names. */
  readonly columns: readonly string[] | undefined;
  /** Rows that are read at most. */
  readonly maxRows: number;
}

/** One row, its cells by the names of their columns. */
export type TableRow = Readonly<Record<string, string>>;

/** More columns than a table for people has: a text that is none must not become millions of cells. */
const MAX_COLUMNS = 200;
/** Rows whose cells are made of these only are lines between rows. */
const RULE = /^[\s|+=-]*[-=]{2}[\s|+=-]*$/;

/** Reads a table. Columns without a separator are told apart by the blanks that all rows share, as `df`, `docker ps` and `kubectl get` line them up. */
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

/** `ID`, `ID_2` where a name comes twice; a column without a name has its number. */
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

/** Cells between separators; one in double quotes may hold the separator, line ends, and `""` for a quote. */
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

/** Cells that stand under each other. */
function splitAligned(text: string, { columns, maxRows }: TableStyle): string[][] {
  const lines = text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !RULE.test(line))
    // One more than is read, and the names: so much tells that there are more.
    .slice(0, maxRows + 2);
  const [header] = lines;
  if (header === undefined) return [];
  if (header.includes('\t')) return splitSeparated(lines.join('\n'), '\t', maxRows + 2);
  if (columns !== undefined) return lines.map((line) => splitWords(line, columns.length));
  const spans = mergeSpans(findSpans(lines), header, lines.slice(1)).slice(0, MAX_COLUMNS);
  const names = spans.map((span) => cellIn(header, span));
  // A value that is longer than its column has pushed the others aside: names of several columns stand in one.
  if (names.some((name) => /\s{2}/.test(name))) {
    const count = Math.min(MAX_COLUMNS, header.trim().split(/\s+/).length);
    return lines.map((line) => splitWords(line, count));
  }
  return lines.map((line) => spans.map((span) => cellIn(line, span)));
}

/** Words between blanks, the last with all that follows. */
function splitWords(line: string, count: number): string[] {
  const words = line.trim().split(/\s+/);
  if (words.length <= count) return words;
  const rest = new RegExp(String.raw`^\s*(?:\S+\s+){${count - 1}}`).exec(line)?.[0].length ?? 0;
  return [...words.slice(0, count - 1), line.slice(rest).trim()];
}

/** The stretches in which some line has a character, between those in which none has. */
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

/** Joins the stretches of one column: blanks within values that happen to stand under each other, and names of two words such as `Mounted on`. */
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
