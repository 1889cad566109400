import { findId, type JsonRpcId, PEEK } from './json-rpc.ts';

/** Handlers and limits of a `LineReader`. */
export interface LineReaderOptions {
  /** Bytes of one line; longer ones are passed over. */
  readonly maxBytes: number;
  onLine(line: string): void;
  /** Gets a line of several chunks as bytes. Default: it is a line as others. */
  onPieces?(pieces: readonly Buffer[]): void;
  /** A line was too long. Its id is there where it could be made out. */
  onOversize(size: number, id: JsonRpcId | undefined): void;
}

const NEWLINE = 10;

/** Cuts a stream of bytes into lines. A line that is too long costs no memory and ends nothing. */
export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #length = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Takes the next bytes of the stream, which may be changed afterwards. */
  push(chunk: Buffer): void {
    const last = chunk.length - 1;
    if (this.#length === 0 && chunk[last] === NEWLINE && last <= this.#options.maxBytes) {
      // Most chunks are one line, or a few: to find that out in a text costs less than in bytes.
      const text = chunk.toString('utf8', 0, last);
      if (!text.includes('\n')) this.#hand(text);
      else for (const line of text.split('\n')) this.#hand(line);
      return;
    }
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) return this.#keep(start === 0 ? chunk : chunk.subarray(start));
      if (this.#length === 0) this.#tell(chunk.toString('utf8', start, end), end - start);
      else this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#options.maxBytes) {
      // The memory of the chunk may be filled anew.
      this.#parts.push(Buffer.from(part));
      return;
    }
    // Of a line that will be refused only its two ends matter: one of them may hold the id.
    const known = Buffer.concat(this.#parts);
    this.#parts = [Buffer.from((known.length === 0 ? part : known).subarray(0, PEEK))];
    const before = this.#tail.length === 0 ? known.subarray(-PEEK) : this.#tail;
    this.#tail = Buffer.from(Buffer.concat([before, part.subarray(-PEEK)]).subarray(-PEEK));
  }

  #finish(last: Buffer): void {
    if (last.length > 0) this.#keep(last);
    const [parts, size] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (size > this.#options.maxBytes) {
      const id = findId(String(parts[0]), String(this.#tail));
      this.#tail = Buffer.alloc(0);
      this.#options.onOversize(size, id);
    } else if (this.#options.onPieces !== undefined && size > PEEK) this.#options.onPieces(parts);
    else this.#tell(Buffer.concat(parts, size).toString('utf8'), size);
  }

  #tell(line: string, size: number): void {
    if (size > this.#options.maxBytes) this.#options.onOversize(size, findId(line.slice(0, PEEK), line.slice(-PEEK)));
    else this.#hand(line);
  }

  #hand(line: string): void {
    if (line !== '' && line !== '\r') this.#options.onLine(line);
  }
}
