import type { Section, StructuredText } from '../documents/section.ts';
import { type Chunk, type ChunkSettings, DEFAULT_CHUNKS } from './chunk.ts';
import { cutRange, skipSpace, trimEnd } from './cut-range.ts';
import { joinBareHeadings } from './join-bare-headings.ts';
import { formatHeadings } from './format-headings.ts';
import type { LineRange } from '../vector-store.ts';

/** A future chunk: a stretch of text and the headings above all of it. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly headings: readonly string[];
  /** Those of the headings that its text does not show. */
  readonly above: readonly string[];
  /** Part of a section that was too long: it is not joined with others. */
  readonly isCut: boolean;
}

/**
 * Cuts a document into chunks: whole sections with all below them where they fit, sections of their own where not, and
 * long sections at paragraphs, lines, sentences or words. The same text gives the same chunks.
 *
 * A document may be long: it stops after each piece, for `runInTurns`.
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
  const linesOf = hasLines ? createLineIndex(text) : undefined;
  const chunks: Chunk[] = [];
  for (const { start, end, headings, above } of pieces) {
    chunks.push({
      text: formatHeadings(above, settings.size) + text.slice(start, end),
      headings,
      start,
      end,
      lines: linesOf?.(start, end),
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

/** The pieces of the sections from one place up to another. */
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
  const whole = { start, end, headings, above, isCut: false };
  if (sizeOf(whole, settings) <= settings.size) {
    yield whole;
    return;
  }
  if (to - from === 1) {
    yield* cutSection(first, { start, end }, packing);
    return;
  }
  // One section with what is below it, or several beside each other.
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
  for (const { start, end } of cutRange(text, range, { limit, overlap, blocks: section.blocks })) {
    const above = isFirst ? headingsAbove(section) : section.headings;
    yield { start, end, headings: section.headings, above, isCut: true };
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
  return { start: first.start, end: second.end, headings, above: commonStart(first.above, headings), isCut: false };
}

/** The headings of a section that its own text does not show. */
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

/** Tells the lines of places in a text. */
function createLineIndex(text: string): (start: number, end: number) => LineRange {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineOf = (at: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  return (start, end) => ({ from: lineOf(start), to: lineOf(Math.max(start, end - 1)) });
}
