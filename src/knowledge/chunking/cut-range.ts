import type { TextTable } from '../documents/section.ts';

/** A stretch of a text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** How a long stretch is cut. */
interface CutOptions {
  /** The most characters of a piece; at least 12. */
  readonly limit: number;
  /** How far a piece may reach back into the one before; a third of the limit at most, so that every piece adds something. */
  readonly overlap: number;
  /** Places to cut first, in order. */
  readonly blocks: readonly number[];
  /** Where rows stay whole, and each piece of rows needs room for the header. In order. */
  readonly tables: readonly TextTable[];
}

/** Ends of lines, of sentences and of words: where to cut when no block ends in time. */
const ENDINGS = [/\n/g, /[.!?。！？][)"'’”]?(?=\s|$)|[。！？]/g, /\s/g];

/** Cuts a stretch into pieces no longer than the limit, at the best place that leaves a piece at least half full. */
export function* cutRange(text: string, range: TextRange, options: CutOptions): Generator<TextRange, void> {
  let reached = 0;
  for (const { start, end } of cutAll(text, range, options)) {
    const last = trimEnd(text, start, end);
    // A cut within much white space leaves a piece that adds nothing.
    if (last <= Math.max(start, reached)) continue;
    reached = last;
    yield { start, end: last };
  }
}

function* cutAll(text: string, range: TextRange, options: CutOptions): Generator<TextRange, void> {
  let start = skipSpace(text, range.start, range.end);
  while (start < range.end) {
    const limit = options.limit - headerAt(text, start, options).length;
    if (range.end - start <= limit) {
      yield { start, end: range.end };
      return;
    }
    const end = findCut(text, start, { ...options, limit });
    yield { start, end };
    const next = skipSpace(text, end, range.end);
    if (next >= range.end) return;
    start = findOverlap(text, { start, end, next }, options);
  }
}

/** The names of the columns, for a piece that starts at a row of a table; nothing where they would leave little room for rows. */
export function headerAt(text: string, start: number, { limit, tables }: Pick<CutOptions, 'limit' | 'tables'>): string {
  const table = tableAt(tables, start);
  if (table === undefined || start < table.rows || table.rows - table.start > limit / 2) return '';
  return text.slice(table.start, table.rows);
}

function tableAt(tables: readonly TextTable[], at: number): TextTable | undefined {
  const table = tables[indexUpTo(tables, at, ({ start }) => start)];
  return table !== undefined && at < table.end ? table : undefined;
}

function findCut(text: string, start: number, { limit, blocks, tables }: CutOptions): number {
  const most = start + limit;
  const least = start + Math.ceil(limit / 2);
  const block = blocks[indexUpTo(blocks, most, Number)];
  // A row stays whole, also where that leaves a piece less than half full.
  if (block !== undefined && block > (tableAt(tables, block) === undefined ? least : start)) return block;
  const window = text.slice(least, most + 1);
  for (const ending of ENDINGS) {
    let cut = -1;
    for (const match of window.matchAll(ending)) {
      const after = least + match.index + match[0].length;
      if (after <= most) cut = after;
    }
    if (cut > start) return cut;
  }
  return isInsidePair(text, most) ? most - 1 : most;
}

/** The place of the last of some ordered items that does not start after this; -1 when there is none. */
export function indexUpTo<T>(items: readonly T[], at: number, startOf: (item: T) => number): number {
  let [low, high] = [-1, items.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const item = items[middle];
    if (item !== undefined && startOf(item) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where the next piece starts: at the start of a line or of a word of the last characters, or right after them. */
function findOverlap(
  text: string,
  { start, end, next }: { readonly start: number; readonly end: number; readonly next: number },
  { overlap, tables }: CutOptions,
): number {
  const earliest = Math.max(start + 1, end - overlap);
  if (overlap === 0 || earliest >= end) return next;
  const tail = text.slice(earliest - 1, end);
  const line = tail.indexOf('\n');
  const word = tail.search(/\s\S/);
  const at = line !== -1 && line < tail.length - 1 ? earliest + line : word === -1 ? earliest : earliest + word;
  const from = skipSpace(text, at, end);
  // Rows are not repeated: each says what it says alone.
  if (tableAt(tables, from) !== undefined || tableAt(tables, next) !== undefined) return next;
  return from >= end ? next : isInsidePair(text, from) ? from + 1 : from;
}

/** Whether a cut here would part the halves of one character. */
function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** More than this is no indentation. */
const MAX_INDENT = 100;

/** Empty lines before a piece are no part of it; the indentation of its first line is. */
export function skipSpace(text: string, from: number, to: number): number {
  let start = from;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) start = at + 1;
    else if (code !== 0x20 && code !== 0x09 && code !== 0x0d && text.slice(at, at + 1).trim() !== '')
      return at - start > MAX_INDENT ? at : start;
  }
  return to;
}

/** The end without the white space before it. */
export function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && text.slice(at - 1, at).trim() === '') at--;
  return at;
}
