import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../../platform/process/child-environment.ts';
import { findThreadProgram } from '../../../platform/process/task-thread.ts';
import type { Chunk } from '../../chunking/chunk.ts';
import { CodeParsers } from '../../documents/code/code-parser.ts';
import {
  cutDocument,
  type CutDocument,
  type DocumentOrder,
  isHarmless,
  type ReaderAnswer,
  type ReaderLimit,
  type ReaderLimits,
  type ReaderOrder,
} from './cut-document.ts';

const LIMITS: ReaderLimits = { memory: 1_000_000_000, seconds: 20, secondsPerMegabyte: 6 };
/** The share of memory for objects; the rest is for the bytes of documents and the program. */
const HEAP_SHARE = 0.75;
/** Megabytes for new objects: V8 would use far more on a large machine, although a document's parts live long. */
const YOUNG_SPACE = 4;
/** Milliseconds before an idle process ends. */
const IDLE_TIME = 5_000;
/** After a larger document the process ends: it holds much memory, and starting another is fast compared to such a document. */
const LARGE = 4_000_000;
const BYTES_A_MESSAGE = 60_000;
/** The longest wall-clock time for a document, as a multiple of its processor time: for busy machines and hanging processes. */
const PATIENCE = 20;
/** Variables with which Node finds packages. */
const PASSED = ['NODE_OPTIONS', 'NODE_PATH'];

/** A document being read, and its caller. */
interface Job {
  readonly chunks: Chunk[];
  readonly settle: (result: CutDocument | ReaderEnd) => void;
  isLate: boolean;
}

/** The process ended before it answered. */
interface ReaderEnd {
  readonly limit: ReaderLimit | undefined;
  readonly reason: string;
}

/** Attempts for a document whose process ended for an unknown reason, which may not be its fault. */
const ATTEMPTS = 2;

/**
 * Reads documents in a separate process, one after the other. A document that takes too much time or memory ends the
 * process and is skipped; the next one gets a new process.
 *
 * A thread is not enough: its limits include neither buffers nor WebAssembly memory, and V8 sometimes ends the whole
 * process.
 */
export class DocumentReader {
  readonly #limits: ReaderLimits;
  readonly #parsers = new CodeParsers();
  #child: ChildProcess | undefined;
  #job: Job | undefined;
  /** Resolves when the last waiting document is read. */
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: Partial<ReaderLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Reads a document and splits it into chunks. Throws only for the signal. */
  async read(order: DocumentOrder, signal?: AbortSignal): Promise<CutDocument> {
    if (isHarmless(order.path, order.bytes)) return cutDocument(order, this.#parsers);
    const turn = this.#last.then(() => this.#read(order, signal));
    // Drops the chunks, which would stay in memory until the next document.
    this.#last = turn.then(nothing, nothing);
    return turn;
  }

  /** Ends the process. The next document starts another. */
  close(): void {
    clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
  }

  /** Ends an idle process. */
  #retire(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #read(order: DocumentOrder, signal: AbortSignal | undefined): Promise<CutDocument> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.#tryToRead(order, signal);
      if ('ok' in result) return result;
      const { limit, reason } = result;
      if (limit !== undefined) return { ok: false, reason: this.#explain(limit) };
      if (attempt < ATTEMPTS) continue;
      return { ok: false, reason: `cannot be read: the process that read it ended (${reason})`, isUnknown: true };
    }
  }

  async #tryToRead(order: DocumentOrder, signal: AbortSignal | undefined): Promise<CutDocument | ReaderEnd> {
    signal?.throwIfAborted();
    clearTimeout(this.#idle);
    const child = (this.#child ??= this.#start());
    const { promise, resolve } = Promise.withResolvers<CutDocument | ReaderEnd>();
    const job: Job = (this.#job = { chunks: [], settle: resolve, isLate: false });
    const stop = (): void => void child.kill('SIGKILL');
    const timer = setTimeout(() => {
      job.isLate = true;
      stop();
    }, this.#patience(order.bytes));
    signal?.addEventListener('abort', stop, { once: true });
    setRef(child, true);
    try {
      void send(child, order);
      const result = await promise;
      signal?.throwIfAborted();
      return result;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      this.#job = undefined;
      setRef(child, false);
      if (order.bytes.length > LARGE) this.#retire();
      else this.#idle = setTimeout(() => this.#retire(), IDLE_TIME).unref();
    }
  }

  #patience({ length }: Uint8Array): number {
    const { seconds, secondsPerMegabyte } = this.#limits;
    return (seconds + (secondsPerMegabyte * length) / 1_000_000) * 1000 * PATIENCE;
  }

  #start(): ChildProcess {
    const program = fileURLToPath(findThreadProgram('reader-program', import.meta.url));
    const heap = Math.floor((this.#limits.memory * HEAP_SHARE) / 2 ** 20);
    // The process may read and compute, but not write files or start programs, whatever a document makes a library do.
    const rights = ['--permission', '--allow-fs-read=*', '--allow-worker', '--disallow-code-generation-from-strings'];
    const child = fork(program, [JSON.stringify(this.#limits)], {
      execArgv: [`--max-old-space-size=${heap}`, `--max-semi-space-size=${YOUNG_SPACE}`, '--no-warnings', ...rights],
      env: childEnvironment({ allowed: PASSED, from: process.env }),
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    let printed = '';
    child.stdout?.on('data', (text: Buffer) => (printed = (printed + text.toString()).slice(-100)));
    child.on('message', (answer: ReaderAnswer) => this.#receive(answer));
    let failure: string | undefined;
    child.on('error', (error) => (failure = error.message));
    child.on('close', (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      const reason = failure ?? signal ?? `exit code ${code}`;
      this.#job?.settle({ limit: limitOf(printed.trim(), reason, this.#job.isLate), reason });
    });
    return child;
  }

  #receive(answer: ReaderAnswer): void {
    const job = this.#job;
    if (job === undefined) return;
    if (answer.type === 'chunks') for (const chunk of answer.chunks) job.chunks.push(shareHeadings(chunk, job.chunks));
    else job.settle(answer.result.ok ? { ...answer.result, chunks: job.chunks } : answer.result);
  }

  #explain(limit: ReaderLimit): string {
    const { memory, seconds, secondsPerMegabyte } = this.#limits;
    return limit === 'memory'
      ? `takes more than ${Math.round(memory / 1_000_000)} MB of memory to read; split it`
      : `takes more than ${seconds} s, and ${secondsPerMegabyte} s for each of its megabytes, to read; split it`;
  }
}

const nothing = (): void => undefined;

/** Sends a document in parts, one after the other. */
async function send(child: ChildProcess, { bytes, ...order }: DocumentOrder): Promise<void> {
  // If the process has ended, its `close` event answers.
  const post = (part: ReaderOrder): Promise<void> => new Promise((settle) => void child.send(part, () => settle()));
  await post({ type: 'start', size: bytes.length, ...order });
  for (let from = 0; from < bytes.length && child.connected; from += BYTES_A_MESSAGE)
    await post({ type: 'bytes', bytes: bytes.subarray(from, from + BYTES_A_MESSAGE) });
}

/** Reuses the headings of the previous chunk if they are the same, because each message contains copies. */
function shareHeadings(chunk: Chunk, before: readonly Chunk[]): Chunk {
  const headings = before.at(-1)?.headings ?? [];
  const isSame = headings.length === chunk.headings.length && headings.every((text, at) => text === chunk.headings[at]);
  return isSame ? { ...chunk, headings } : chunk;
}

function limitOf(printed: string, end: string, isLate: boolean): ReaderLimit | undefined {
  // V8 aborts the process when it runs out of heap memory.
  if (printed === 'memory' || end === 'SIGABRT' || end === 'SIGTRAP' || end === 'exit code 134') return 'memory';
  return printed === 'time' || isLate ? 'time' : undefined;
}

/** Lets this process exit while the child is idle. */
function setRef(child: ChildProcess, isNeeded: boolean): void {
  // A child's pipe is a socket, which has both methods.
  const parts = [child, child.channel, child.stdout as { ref?(): void; unref?(): void } | null];
  for (const part of parts) {
    if (isNeeded) part?.ref?.();
    else part?.unref?.();
  }
}

let shared: DocumentReader | undefined;

/** Returns the reader of this process, shared by all collections to bound memory. */
export function sharedReader(): DocumentReader {
  return (shared ??= new DocumentReader());
}
