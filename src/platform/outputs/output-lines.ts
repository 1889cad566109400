import { open } from 'node:fs/promises';

/** Bytes of a line before it is cut into several, so that one endless line can be paged through too. */
const MAX_LINE = 16 * 1024;
const NEWLINE = 10;
const RETURN = 13;
const NOTHING = Buffer.alloc(0);
const BLOCK = 64 * 1024;
/** Bytes between two entries of a line index. */
const INDEX_STEP = 1024 * 1024;

/** Finds where lines end in one chunk after the other, calling back with the place after each end. */
type LineScanner = (chunk: Uint8Array, onEnd: (end: number) => void) => void;

function createLineScanner(): LineScanner {
  let length = 0;
  return (chunk, onEnd) => {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      // Cut between characters where the bytes are UTF-8, and a little later where they are not.
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

/** A place where a line starts. */
export interface LineStart {
  readonly line: number;
  /** Bytes before it. */
  readonly position: number;
}

/** Knows how many lines an output has and about where each of them starts. */
export interface LineIndex {
  /** Some starts, about a MiB apart, the first line among them. */
  readonly starts: readonly LineStart[];
  add(chunk: Uint8Array): void;
  /** Lines so far; the last one may be open. */
  count(): number;
  /** The nearest known start of a line at or before `line`. */
  find(line: number): LineStart;
}

/** Makes an index that takes one entry for each MiB. */
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

/** The index of an output that was read elsewhere. */
export function restoreLineIndex(starts: readonly LineStart[], lines: number): LineIndex {
  const first: LineStart = { line: 0, position: 0 };
  return {
    starts,
    add: () => {},
    count: () => lines,
    find: (line) => starts.findLast((start) => start.line <= line) ?? first,
  };
}

/** Where to start reading lines, and what to do with each. */
export interface LineReading {
  /** A start of a line, in bytes. */
  readonly position?: number;
  readonly signal?: AbortSignal | undefined;
  /** Gets the place of each line in some bytes, which are reused afterwards; `false` stops. */
  readonly onLine: (bytes: Buffer, start: number, end: number) => boolean;
}

/** Reads a file line by line in constant memory. */
export async function readLines(path: string, { position = 0, signal, onLine }: LineReading): Promise<void> {
  const scan = createLineScanner();
  const block = Buffer.allocUnsafe(BLOCK);
  let rest = NOTHING;
  let goesOn = true;
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
        if (!goesOn) return;
        if (rest.length === 0) {
          goesOn = onLine(chunk, start, end);
        } else {
          const line = Buffer.concat([rest, chunk.subarray(start, end)]);
          rest = NOTHING;
          goesOn = onLine(line, 0, line.length);
        }
        start = end;
      });
      if (!goesOn) return;
      if (start < bytesRead) rest = Buffer.concat([rest, chunk.subarray(start)]);
    }
    if (rest.length > 0) onLine(rest, 0, rest.length);
  } finally {
    await file.close();
  }
}

/** A line as text, without its end. */
export function toLineText(bytes: Buffer, start: number, end: number): string {
  let last = end;
  if (last > start && bytes[last - 1] === NEWLINE) last -= last - 1 > start && bytes[last - 2] === RETURN ? 2 : 1;
  return bytes.toString('utf8', start, last);
}
