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

/** The start of a line. */
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

export interface LineReading {
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

/** Decodes a line without its line break. */
export function toLineText(bytes: Buffer, start: number, end: number): string {
  let last = end;
  if (last > start && bytes[last - 1] === NEWLINE) last -= last - 1 > start && bytes[last - 2] === RETURN ? 2 : 1;
  return bytes.toString('utf8', start, last);
}
