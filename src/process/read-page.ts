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
/** Bytes after which a page ends, whatever was asked for. */
const MAX_PAGE = 256 * 1024;

/** Reads some lines of a file, starting near them by its index. */
export async function readPage(
  { path, lines: index }: { readonly path: string; readonly lines: LineIndex },
  { offset = 0, lines: wanted = DEFAULT_LINES }: { readonly offset?: number; readonly lines?: number },
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
        lines.push(toLineText(bytes, start, end));
        size += end - start;
        return lines.length < wanted && size < MAX_PAGE;
      },
    });
  }
  const next = first + lines.length;
  return { offset: first, lines, next: next < total ? next : undefined, total };
}
