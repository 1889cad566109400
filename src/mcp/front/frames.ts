import type { Writable } from 'node:stream';

/** The kinds of frames between a board and a process whose command line it runs. */
export const FRAME = { message: 0, stdin: 1, stdout: 2, stderr: 3 } as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

/** Bytes before the content of a frame: its kind and its length. */
const HEAD = 5;
/** Bytes of a message at most. */
const MAX_MESSAGE = 16 * 1024 * 1024;

/** Writes a frame; `done` is called when it has left this process. Returns false when the other side reads too slowly. */
export function writeFrame(
  socket: Writable,
  { kind, content }: { readonly kind: FrameKind; readonly content: Buffer },
  done?: (error?: Error | null) => void,
): boolean {
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt8(kind);
  head.writeUInt32BE(content.length, 1);
  socket.cork();
  socket.write(head);
  const hasRoom = socket.write(content, done);
  socket.uncork();
  return hasRoom;
}

/** Writes a message of the other side's type as a frame. */
export function writeMessage(socket: Writable, message: object): boolean {
  return writeFrame(socket, { kind: FRAME.message, content: Buffer.from(JSON.stringify(message)) });
}

interface FrameHandlers {
  /** Receives a message. */
  onMessage(message: unknown): void;
  /** Receives bytes of a stream, in pieces as they arrive. */
  onBytes(kind: FrameKind, bytes: Buffer): void;
}

/** Splits the bytes of a connection into frames. `push` throws for a message that is too long. */
export class FrameReader {
  readonly #handlers: FrameHandlers;
  #head: Buffer = Buffer.alloc(0);
  #kind: FrameKind = FRAME.message;
  /** Bytes of the current frame that have not arrived. */
  #left = 0;
  #parts: Buffer[] = [];

  constructor(handlers: FrameHandlers) {
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#left === 0) {
        const taken = chunk.subarray(at, at + HEAD - this.#head.length);
        at += taken.length;
        this.#head = Buffer.concat([this.#head, taken]);
        if (this.#head.length < HEAD) return;
        this.#begin();
        continue;
      }
      const bytes = chunk.subarray(at, at + this.#left);
      at += bytes.length;
      this.#left -= bytes.length;
      this.#take(bytes);
    }
  }

  #begin(): void {
    // Written by `writeFrame` of the same version.
    this.#kind = this.#head.readUInt8() as FrameKind;
    this.#left = this.#head.readUInt32BE(1);
    this.#head = Buffer.alloc(0);
    if (this.#kind === FRAME.message && this.#left > MAX_MESSAGE)
      throw new RangeError(`A message has ${this.#left} bytes; ${MAX_MESSAGE} is the most.`);
  }

  #take(bytes: Buffer): void {
    if (this.#kind !== FRAME.message) return this.#handlers.onBytes(this.#kind, bytes);
    this.#parts.push(bytes);
    if (this.#left > 0) return;
    const message: unknown = JSON.parse(Buffer.concat(this.#parts).toString('utf8'));
    this.#parts = [];
    this.#handlers.onMessage(message);
  }
}
