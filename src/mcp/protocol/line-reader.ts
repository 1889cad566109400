import { ERROR_CODES, findId, formatError, type JsonRpcId, PEEK } from './json-rpc.ts';

export interface LineReaderOptions {
  /** Longer lines are skipped. */
  readonly maxBytes: number;
  onLine(line: string): void;
  /** Receives a line of several chunks as bytes. Default: `onLine` receives it. */
  onPieces?(pieces: readonly Buffer[]): void;
  /** Called for a line that is too long, with its id if that could be found. */
  onOversize(size: number, id: JsonRpcId | undefined): void;
}

const NEWLINE = 10;

/** Formats the answer to a line that is too long. */
export function formatOversize(
  id: JsonRpcId | undefined,
  { size, most }: { readonly size: number; readonly most: number },
): string {
  const message = `The message has ${size} bytes; ${most} is the most. Send less, for example a path instead of the content.`;
  return formatError(id, { code: ERROR_CODES.invalidRequest, message });
}

/** Splits a stream of bytes into lines. Does not store a line that is too long. */
export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #length = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Reads the next bytes, which may be reused afterwards. */
  push(chunk: Buffer): void {
    const last = chunk.length - 1;
    if (this.#length === 0 && chunk[last] === NEWLINE && last <= this.#options.maxBytes) {
      // Most chunks are one line or a few: searching the text is faster than searching the bytes.
      const text = chunk.toString('utf8', 0, last);
      if (!text.includes('\n')) this.#emit(text);
      else for (const line of text.split('\n')) this.#emit(line);
      return;
    }
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) return this.#store(start === 0 ? chunk : chunk.subarray(start));
      if (this.#length === 0) this.#check(chunk.toString('utf8', start, end), end - start);
      else this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
  }

  #store(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#options.maxBytes) {
      // The memory of the chunk may be reused.
      this.#parts.push(Buffer.from(part));
      return;
    }
    // Of a line that is too long only the two ends matter: one of them may contain the id.
    const known = Buffer.concat(this.#parts);
    this.#parts = [Buffer.from((known.length === 0 ? part : known).subarray(0, PEEK))];
    const before = this.#tail.length === 0 ? known.subarray(-PEEK) : this.#tail;
    this.#tail = Buffer.from(Buffer.concat([before, part.subarray(-PEEK)]).subarray(-PEEK));
  }

  #finish(last: Buffer): void {
    if (last.length > 0) this.#store(last);
    const [parts, size] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (size > this.#options.maxBytes) {
      const id = findId(String(parts[0]), String(this.#tail));
      this.#tail = Buffer.alloc(0);
      this.#options.onOversize(size, id);
    } else if (this.#options.onPieces !== undefined && size > PEEK) this.#options.onPieces(parts);
    else this.#check(Buffer.concat(parts, size).toString('utf8'), size);
  }

  #check(line: string, size: number): void {
    if (size > this.#options.maxBytes) this.#options.onOversize(size, findId(line.slice(0, PEEK), line.slice(-PEEK)));
    else this.#emit(line);
  }

  #emit(line: string): void {
    if (line !== '' && line !== '\r') this.#options.onLine(line);
  }
}
