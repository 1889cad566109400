import type { Section, SourceMark, StructuredText } from '../documents/section.ts';
import type { LineRange } from '../vector-store.ts';
import { type Chunk, type ChunkSettings, DEFAULT_CHUNKS, formatHeadings } from './chunk.ts';
import { cutRange, headerAt, indexUpTo, skipSpace, trimEnd } from './cut-range.ts';

/** A future chunk: a range of the text and the headings above all of it. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly headings: readonly string[];
  /** The headings that its text does not contain. */
  readonly above: readonly string[];
  /** The header of the table within which it starts. */
  readonly header: string;
  /** True for a part of a section that was too long; it is not joined with others. */
  readonly isCut: boolean;
}

/**
 * Splits a document into chunks: whole sections with their subsections if they fit, else single sections, and long
 * sections at paragraphs, lines, sentences or words. The same text gives the same chunks.
 *
 * Yields after each piece, for `runInTurns`, because a document may be long.
 */
export function* chunkText(
  document: StructuredText,
  settings: ChunkSettings = DEFAULT_CHUNKS,
): Generator<void, Chunk[]> {
  const { text, hasLines } = document;
  const sections = joinBareHeadings(document);
  yield;
  const packed: Piece[] = [];
  for (const piece of packSections({ text, sections, settings }, 0, sections.length)) {
    packed.push(piece);
    yield;
  }
  const pieces = mergeSmall(packed, settings);
  const linesOf = hasLines ? createLineIndex(text) : createMarkIndex(document.marks ?? []);
  const chunks: Chunk[] = [];
  for (const { start, end, headings, above, header } of pieces) {
    chunks.push({
      text: formatHeadings(above, settings.size) + header + text.slice(start, end),
      headings,
      start,
      end,
      lines: linesOf(start, end),
    });
    yield;
  }
  return chunks;
}

interface Packing {
  readonly text: string;
  readonly sections: readonly Section[];
  readonly settings: ChunkSettings;
}

function* packSections(packing: Packing, from: number, to: number): Generator<Piece, void> {
  const { text, sections, settings } = packing;
  const first = sections[from];
  const last = sections[to - 1];
  if (first === undefined || last === undefined) return;
  const start = skipSpace(text, first.start, last.end);
  if (start >= last.end) return;
  const end = trimEnd(text, start, last.end);
  const headings = sharedHeadings(sections, from, to);
  const above = commonStart(headingsAbove(first), headings);
  const whole = { start, end, headings, above, header: '', isCut: false };
  if (sizeOf(whole, settings) <= settings.size) {
    yield whole;
    return;
  }
  if (to - from === 1) {
    yield* cutSection(first, { start, end }, packing);
    return;
  }
  // Either one section with its subsections, or several siblings.
  const least = minimumDepth(sections, from, to);
  let next = from;
  while (next < to) {
    const group = next;
    do next++;
    while (next < to && (sections[next]?.depth ?? 0) > least);
    if (group === from && next === to) {
      yield* packSections(packing, from, from + 1);
      yield* packSections(packing, from + 1, to);
    } else yield* packSections(packing, group, next);
  }
}

function* cutSection(
  section: Section,
  range: { start: number; end: number },
  { text, settings }: Packing,
): Generator<Piece, void> {
  const limit = settings.size - formatHeadings(section.headings, settings.size).length;
  const overlap = Math.min(settings.overlap, Math.floor(limit / 3));
  let isFirst = true;
  const options = { limit, overlap, blocks: section.blocks, tables: section.tables };
  for (const { start, end } of cutRange(text, range, options)) {
    const above = isFirst ? headingsAbove(section) : section.headings;
    yield { start, end, headings: section.headings, above, header: headerAt(text, start, options), isCut: true };
    isFirst = false;
  }
}

/** Joins neighbours as long as the first of them is much smaller than a chunk may be. */
function mergeSmall(pieces: readonly Piece[], settings: ChunkSettings): Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const before = merged.at(-1);
    const joined = before === undefined || before.isCut || piece.isCut ? undefined : join(before, piece);
    const isSmall = before !== undefined && before.end - before.start < settings.size / 4;
    if (joined !== undefined && isSmall && sizeOf(joined, settings) <= settings.size)
      merged[merged.length - 1] = joined;
    else merged.push(piece);
  }
  return merged;
}

function join(first: Piece, second: Piece): Piece {
  const headings = commonStart(first.headings, second.headings);
  return {
    start: first.start,
    end: second.end,
    headings,
    above: commonStart(first.above, headings),
    header: '',
    isCut: false,
  };
}

/** Returns the headings of a section that its own text does not contain. */
function headingsAbove({ headings, shown }: Section): readonly string[] {
  return shown === 0 ? headings : headings.slice(0, -shown);
}

function sizeOf({ start, end, above }: Piece, { size }: ChunkSettings): number {
  return formatHeadings(above, size).length + end - start;
}

function minimumDepth(sections: readonly Section[], from: number, to: number): number {
  let least = Infinity;
  for (let index = from; index < to; index++) least = Math.min(least, sections[index]?.depth ?? least);
  return least;
}

function sharedHeadings(sections: readonly Section[], from: number, to: number): readonly string[] {
  let shared = sections[from]?.headings ?? [];
  for (let index = from + 1; index < to && shared.length > 0; index++) {
    shared = commonStart(shared, sections[index]?.headings ?? []);
  }
  return shared;
}

function commonStart(first: readonly string[], second: readonly string[]): readonly string[] {
  const different = first.findIndex((heading, index) => heading !== second[index]);
  return different === -1 ? first : first.slice(0, different);
}

function createLineIndex(text: string): (start: number, end: number) => LineRange {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineOf = (at: number): number => Math.max(0, indexUpTo(starts, at, Number)) + 1;
  return (start, end) => ({ from: lineOf(start), to: lineOf(Math.max(start, end - 1)) });
}

/** Returns a function that finds the pages, slides, rows or cells of a range in a converted text. */
function createMarkIndex(marks: readonly SourceMark[]): (start: number, end: number) => LineRange | undefined {
  const indexOf = (at: number): number => indexUpTo(marks, at, (mark) => mark.at);
  return (start, end) => {
    const last = marks[indexOf(end - 1)];
    // A title before the first mark belongs to what follows.
    const first = marks[Math.max(0, indexOf(start))];
    if (first === undefined || last === undefined) return undefined;
    // Each sheet numbers its own rows, so a chunk across two sheets has no range.
    return first.number > last.number ? undefined : { from: first.number, to: last.number };
  };
}

/** Joins each heading without text of its own to the subsection that follows it. */
function joinBareHeadings({ text, sections }: StructuredText): Section[] {
  const joined: Section[] = [];
  for (const section of sections) {
    const before = joined.at(-1);
    if (before === undefined || !isBare(before, text) || section.depth <= before.depth || section.shown !== 1) {
      joined.push(section);
      continue;
    }
    joined[joined.length - 1] = { ...section, start: before.start, depth: before.depth, shown: before.shown + 1 };
  }
  return joined;
}

const MAX_HEADING = 300;

function isBare({ start, end, shown }: Section, text: string): boolean {
  if (shown === 0 || end - start > MAX_HEADING) return false;
  // Joined headings are on separate lines.
  return text.slice(start, end).trim().split(/\n\s*/).length <= shown;
}
