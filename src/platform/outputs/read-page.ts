import { type LineIndex, readLines, toLineText } from './output-lines.ts';

/** Some lines of a stored output. */
export interface OutputPage {
  /** Lines before the first one here. */
  readonly offset: number;
  readonly lines: readonly string[];
  /** The offset of the next page; `undefined` at the end. */
  readonly next: number | undefined;
  /** Lines of the whole output. */
  readonly total: number;
}

const DEFAULT_LINES = 200;
/** Bytes after which a page ends, even when more lines were asked for. */
const MAX_PAGE = 256 * 1024;

/** Which lines to read. */
export interface PageRange {
  /** The first line; a negative one counts from the end. Default: 0. */
  readonly offset?: number;
  /** Default: 200. */
  readonly lines?: number;
  /** Bytes that the lines may have together. Default: 262,144. */
  readonly bytes?: number;
}

/** Reads some lines of a file, starting near them by its index. */
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
        // A page has one line at least: the next one starts behind it.
        if (size > room && lines.length > 0) return false;
        lines.push(toLineText(bytes, start, end));
        return lines.length < wanted;
      },
    });
  }
  const next = first + lines.length;
  return { offset: first, lines, next: next < total ? next : undefined, total };
}
