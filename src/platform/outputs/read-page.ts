import { type LineIndex, readLines, toLineText } from './output-lines.ts';

/** Lines of a stored output. */
export interface OutputPage {
  /** Number of lines before this page. */
  readonly offset: number;
  readonly lines: readonly string[];
  /** The offset of the next page; `undefined` at the end. */
  readonly next: number | undefined;
  /** Number of lines of the whole output. */
  readonly total: number;
}

const DEFAULT_LINES = 200;
/** Bytes after which a page ends, even with fewer lines than requested. */
const MAX_PAGE = 256 * 1024;

/** The lines of a page of a stored output. */
export interface PageRange {
  /** The first line. A negative number counts from the end. Default: 0. */
  readonly offset?: number;
  /** Default: 200. */
  readonly lines?: number;
  /** Maximum bytes of all lines together. Default: 262,144. */
  readonly bytes?: number;
}

/** Reads lines of a file, using its index to start near them. */
export async function readPage(
  { path, lines: index }: { readonly path: string; readonly lines: LineIndex },
  { offset = 0, lines: wanted = DEFAULT_LINES, bytes: room = MAX_PAGE }: PageRange,
): Promise<OutputPage> {
  const total = index.count();
  const first = Math.min(offset < 0 ? Math.max(0, total + offset) : offset, total);
  const lines: string[] = [];
  let { line: at, position } = index.find(first);
  let size = 0;
  if (wanted > 0) {
    await readLines(path, {
      position,
      onLine(bytes, start, end) {
        if (at++ < first) return true;
        size += end - start;
        // A page has at least one line; otherwise the next page could never advance.
        if (size > room && lines.length > 0) return false;
        lines.push(toLineText(bytes, start, end));
        return lines.length < wanted;
      },
    });
  }
  const next = first + lines.length;
  return { offset: first, lines, next: next < total ? next : undefined, total };
}
