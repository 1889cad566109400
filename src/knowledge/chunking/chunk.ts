import type { NewChunk } from '../vector-store.ts';

export interface ChunkSettings {
  /** The most characters of a chunk, including headings. */
  readonly size: number;
  /** Characters of a split section that its next chunk repeats. */
  readonly overlap: number;
}

/** The default, as in ctx. */
export const DEFAULT_CHUNKS: ChunkSettings = { size: 1000, overlap: 200 };

/** A part of a document, ready to be stored. */
export interface Chunk extends Omit<NewChunk, 'embedding'> {
  /** The range of the part in the document's text. */
  readonly start: number;
  readonly end: number;
}

const SEPARATOR = ' > ';

/**
 * Formats the headings above a chunk as its first line, followed by an empty line. They take at most a quarter of the
 * chunk; the nearest are kept.
 */
export function formatHeadings(headings: readonly string[], size: number): string {
  const room = Math.floor(size / 4);
  let line = headings.filter((heading) => heading !== '').join(SEPARATOR);
  if (line === '') return '';
  if (line.length + 2 > room) {
    let from = line.length - Math.max(0, room - 3);
    const code = line.charCodeAt(from);
    // Never starts with the second half of a surrogate pair.
    if (code >= 0xdc00 && code <= 0xdfff) from++;
    line = `…${line.slice(from)}`;
  }
  return `${line}\n\n`;
}

/** Removes the line of headings that `formatHeadings` put before a chunk's text. */
export function withoutHeadings(text: string, headings: readonly string[]): string {
  const end = text.indexOf('\n\n');
  const line = end === -1 ? '' : text.slice(0, end);
  if (line === '') return text;
  const names = headings.filter((heading) => heading !== '');
  for (let count = names.length; count > 0; count--) {
    const whole = names.slice(0, count).join(SEPARATOR);
    const isLine = line === whole || (line.startsWith('…') && whole.endsWith(line.slice(1)));
    if (isLine) return text.slice(end + 2);
  }
  return text;
}
