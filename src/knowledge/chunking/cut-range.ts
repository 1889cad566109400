import type { TextTable } from '../documents/section.ts';

interface TextRange {
  readonly start: number;
  readonly end: number;
}

interface CutOptions {
  /** The most characters of a piece; at least 12. */
  readonly limit: number;
  /**
   * Characters that a piece may repeat from the previous one; at most a third of the limit, so that every piece adds
   * something.
   */
  readonly overlap: number;
  /** Preferred places to split, in order. */
  readonly blocks: readonly number[];
  /** Tables, in order. Their rows stay whole, and each piece of rows needs room for the header. */
  readonly tables: readonly TextTable[];
}

/** Ends of lines, sentences and words, for ranges without a block end. */
const ENDINGS = [/\n/g, /[.!?。！？][)"'’”]?(?=\s|$)|[。！？]/g, /\s/g];

/** Splits a range into pieces up to the limit, at the best place that leaves a piece at least half full. */
export function* cutRange(text: string, range: TextRange, options: CutOptions): Generator<TextRange, void> {
  let reached = 0;
  for (const { start, end } of cutAll(text, range, options)) {
    const last = trimEnd(text, start, end);
    // A split within much white space leaves a piece that adds nothing.
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

/** Returns the header row for a piece that starts within a table, or an empty text if it would leave little room for rows. */
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
  // A row stays whole, even if that leaves a piece less than half full.
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

/** Returns the index of the last of some ordered items that does not start after `at`, or -1. */
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

/** Returns the start of the next piece: a line or word within the overlap, or the end of the last piece. */
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
  // Rows are not repeated, because each stands alone.
  if (tableAt(tables, from) !== undefined || tableAt(tables, next) !== undefined) return next;
  return from >= end ? next : isInsidePair(text, from) ? from + 1 : from;
}

/** Returns true if a split here would separate a surrogate pair. */
function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** More than this is not indentation. */
const MAX_INDENT = 100;

/** Skips empty lines before a piece, but keeps the indentation of its first line. */
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

export function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && text.slice(at - 1, at).trim() === '') at--;
  return at;
}
