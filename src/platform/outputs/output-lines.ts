import { open } from 'node:fs/promises';

/** Maximum bytes per line. Longer lines are split, so that a single endless line can be read page by page. */
const MAX_LINE = 16 * 1024;
const NEWLINE = 10;
const RETURN = 13;
const NOTHING = Buffer.alloc(0);
const BLOCK = 64 * 1024;
/** Bytes between two entries of a line index. */
const INDEX_STEP = 1024 * 1024;

/** Finds line ends in consecutive chunks and calls back with the position after each. */
type LineScanner = (chunk: Uint8Array, onEnd: (end: number) => void) => void;

function createLineScanner(): LineScanner {
  let length = 0;
  return (chunk, onEnd) => {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      // Cuts between UTF-8 characters, or a little later in bytes that are not UTF-8.
      const isCut = length >= MAX_LINE && byte !== NEWLINE && ((byte & 0xc0) !== 0x80 || length >= MAX_LINE + 3);
      if (isCut) {
        onEnd(at);
        length = 0;
      }
      length++;
      if (byte === NEWLINE) {
        onEnd(at + 1);
        length = 0;
      }
    }
  };
}

export interface LineStart {
  readonly line: number;
  /** Number of bytes before it. */
  readonly position: number;
}

/** Counts the lines of an output and knows roughly where each starts. */
export interface LineIndex {
  /** Known line starts, about 1 MiB apart, including the first line. */
  readonly starts: readonly LineStart[];
  add(chunk: Uint8Array): void;
  /** Returns the number of lines so far, including an unfinished one. */
  count(): number;
  /** Returns the nearest known line start at or before `line`. */
  find(line: number): LineStart;
}

/** Creates an index with one entry per MiB. */
export function createLineIndex(): LineIndex {
  const scan = createLineScanner();
  const first: LineStart = { line: 0, position: 0 };
  const starts = [first];
  let next = INDEX_STEP;
  let size = 0;
  let ended = 0;
  let lastEnd = 0;
  return {
    starts,
    add(chunk) {
      scan(chunk, (end) => {
        ended++;
        lastEnd = size + end;
        if (lastEnd < next) return;
        starts.push({ line: ended, position: lastEnd });
        next = lastEnd + INDEX_STEP;
      });
      size += chunk.length;
    },
    count: () => ended + (lastEnd < size ? 1 : 0),
    find: (line) => starts.findLast((start) => start.line <= line) ?? first,
  };
}

/** Creates the index of an output that another process indexed. */
export function restoreLineIndex(starts: readonly LineStart[], lines: number): LineIndex {
  const first: LineStart = { line: 0, position: 0 };
  return {
    starts,
    add: () => {},
    count: () => lines,
    find: (line) => starts.findLast((start) => start.line <= line) ?? first,
  };
}

interface LineReading {
  /** The start of a line, in bytes. */
  readonly position?: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives each line as a range of bytes that are reused afterwards. Returning false stops. */
  readonly onLine: (bytes: Buffer, start: number, end: number) => boolean;
}

/** Reads a file line by line in constant memory. */
export async function readLines(path: string, { position = 0, signal, onLine }: LineReading): Promise<void> {
  const scan = createLineScanner();
  const block = Buffer.allocUnsafe(BLOCK);
  let rest = NOTHING;
  let isWanted = true;
  const file = await open(path, 'r');
  try {
    for (let at = position; ;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(block, 0, BLOCK, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const chunk = block.subarray(0, bytesRead);
      let start = 0;
      scan(chunk, (end) => {
        if (!isWanted) return;
        if (rest.length === 0) {
          isWanted = onLine(chunk, start, end);
        } else {
          const line = Buffer.concat([rest, chunk.subarray(start, end)]);
          rest = NOTHING;
          isWanted = onLine(line, 0, line.length);
        }
        start = end;
      });
      if (!isWanted) return;
      if (start < bytesRead) rest = Buffer.concat([rest, chunk.subarray(start)]);
    }
    if (rest.length > 0) onLine(rest, 0, rest.length);
  } finally {
    await file.close();
  }
}

export function toLineText(bytes: Buffer, start: number, end: number): string {
  let last = end;
  if (last > start && bytes[last - 1] === NEWLINE) last -= last - 1 > start && bytes[last - 2] === RETURN ? 2 : 1;
  return bytes.toString('utf8', start, last);
}

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
