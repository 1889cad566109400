import { CONTROL } from './control-line.ts';

/** A line of a board, as far as a front has to know it. */
export type BoardLine =
  | { readonly type: 'answer' | 'question'; readonly id: string | number }
  | { readonly type: 'control'; readonly text: string }
  | { readonly type: 'other' };

const NEWLINE = 10;
const CONTROL_BYTE = CONTROL.charCodeAt(0);
/** Bytes of a line that are enough to read its id: ids of requests are that long at most. */
const HEAD = 2_048;
/** The beginning of answers and requests, as `json-rpc.ts` writes them. */
const START = /^\{"jsonrpc":"2\.0","id":(-?\d[\d.e+-]*|"(?:[^"\\]|\\.)*"),"(result|error|method)"/;

interface OutputHandlers {
  /** Called at the beginning of each line; returns false for a line that is not for the client. */
  onLine(line: BoardLine): boolean;
  /** Receives bytes for the client. */
  write(bytes: Buffer): void;
}

/** Reads the heads of a board's lines and passes the bytes on. */
export class BoardOutput {
  readonly #handlers: OutputHandlers;
  /** The beginning of a line that is not long enough to be read. */
  #held = Buffer.alloc(0);
  /** True within a line whose head was read. */
  #isInside = false;
  #isPassed = true;

  constructor(handlers: OutputHandlers) {
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    let from = 0;
    let at = 0;
    while (at < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, at);
      const end = newline === -1 ? bytes.length : newline + 1;
      if (!this.#isInside) {
        const isWhole = newline !== -1 || (end - at >= HEAD && bytes[at] !== CONTROL_BYTE);
        if (!isWhole) {
          this.#pass(bytes, from, at);
          // The chunk's memory may be reused.
          this.#held = Buffer.from(bytes.subarray(at));
          return;
        }
        const isPassed = this.#handlers.onLine(readHead(bytes, at, end));
        if (isPassed !== this.#isPassed) {
          this.#pass(bytes, from, at);
          from = at;
          this.#isPassed = isPassed;
        }
      }
      this.#isInside = newline === -1;
      at = end;
    }
    this.#pass(bytes, from, at);
  }

  #pass(bytes: Buffer, from: number, to: number): void {
    if (this.#isPassed && to > from)
      this.#handlers.write(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to));
  }
}

function readHead(bytes: Buffer, at: number, end: number): BoardLine {
  if (bytes[at] === CONTROL_BYTE) return { type: 'control', text: bytes.toString('utf8', at, end) };
  const [, id, kind] = START.exec(bytes.toString('utf8', at, Math.min(end, at + HEAD))) ?? [];
  if (id === undefined) return { type: 'other' };
  return { type: kind === 'method' ? 'question' : 'answer', id: JSON.parse(id) };
}
