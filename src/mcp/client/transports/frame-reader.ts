import { findThreadProgram, TaskThread } from '../../../platform/process/task-thread.ts';
import { parseFrame } from './parse-frame.ts';
import type { JsonObject } from './transport.ts';

/** A message as text, or as pieces of bytes. */
export type LargeFrame = string | readonly Uint8Array[];

/** The result of the thread: the message, or its text if that is copied faster. */
export type ReadFrame = { readonly start: string } & (
  | { readonly message: JsonObject | undefined }
  | { readonly text: string }
);

/** Receives each message, or `undefined` for an invalid one, with its first characters and its length. */
export type OnFrame = (message: JsonObject | undefined, start: string, size: number) => void;

/** Messages with more bytes or characters are parsed in a thread. */
export const LARGE_FRAME = 256 * 1024;

/** Shared by all servers, which take turns. */
const thread = new TaskThread<LargeFrame, ReadFrame>({
  program: () => findThreadProgram('frame-worker', import.meta.url),
  name: 'pegboard-frames',
  patience: 30_000,
});

let readers = 0;

/** Parses the messages of one server in order: large ones in a thread, so that the process can do other work meanwhile. */
export class FrameReader {
  readonly #name = `server ${++readers}`;
  readonly #onFrame: OnFrame;
  #last: Promise<void> | undefined;

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame;
  }

  /** Resolves when all received messages are parsed; `undefined` if none is being parsed. */
  get reading(): Promise<void> | undefined {
    return this.#last;
  }

  /** Parses a small message at once, unless an earlier one is still being parsed. */
  push(frame: LargeFrame): void {
    const size = sizeOf(frame);
    const work = size > LARGE_FRAME ? () => this.#readApart(frame, size) : () => this.#readHere(frame, size);
    const before = this.#last;
    const reading = before === undefined ? work() : before.then(work);
    if (reading === undefined) return;
    const last = reading.finally(() => {
      if (this.#last === last) this.#last = undefined;
    });
    this.#last = last;
  }

  #readHere(frame: LargeFrame, size: number): undefined {
    const text = toText(frame);
    this.#onFrame(parseFrame(text), text.slice(0, 500), size);
  }

  async #readApart(frame: LargeFrame, size: number): Promise<void> {
    const end = await thread.run(frame, this.#name);
    // Without a thread, the message is parsed here.
    if (end.type !== 'done') return this.#readHere(frame, size);
    const { answer } = end;
    // The thread has checked and parsed it.
    const message = 'text' in answer ? (JSON.parse(answer.text) as JsonObject) : answer.message;
    this.#onFrame(message, answer.start, size);
  }
}

/** Reads one message. */
export async function readFrame(text: string): Promise<JsonObject | undefined> {
  let read: JsonObject | undefined;
  const reader = new FrameReader((message) => (read = message));
  reader.push(text);
  await reader.reading;
  return read;
}

function sizeOf(frame: LargeFrame): number {
  return typeof frame === 'string' ? frame.length : frame.reduce((sum, part) => sum + part.length, 0);
}

function toText(frame: LargeFrame): string {
  return typeof frame === 'string' ? frame : Buffer.concat(frame).toString('utf8');
}
