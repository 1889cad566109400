import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { EmbedOptions } from '../embedder.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { findThreadProgram } from '../../platform/process/thread-program.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Where the files of the model are. */
export interface ModelFiles {
  readonly weights: string;
  readonly vocabulary: string;
}

/** What runs the model: onnxruntime-node where it is installed, else our own WebAssembly, or one of them by name. */
export type EmbedEngine = 'auto' | 'onnx' | 'wasm';

/** What a thread is started with. */
export interface EmbedThread {
  readonly files: ModelFiles;
  readonly engine: EmbedEngine;
  /** Whether other threads answer questions: this one gives way to the board's other work. */
  readonly isFurther: boolean;
}

/** What a thread is sent. */
export interface EmbedOrder {
  readonly texts: readonly string[];
}

/** What it answers: the vectors one after the other, or why there are none. */
export type EmbedAnswer =
  | { readonly ok: true; readonly vectors: Float32Array<ArrayBuffer>; readonly dimension: number }
  | { readonly ok: false; readonly message: string };

/** How threads are started. */
interface EmbedThreadsOptions {
  /** Default: `auto`. */
  readonly engine?: EmbedEngine | undefined;
  /** How many threads at most. Default: one for each core, up to 4. */
  readonly most?: number | undefined;
  /** The program of a thread. Default: the one of this package. */
  readonly program?: URL | undefined;
}

/** Some texts of one caller, small enough that a question soon has its turn. */
interface Job {
  readonly texts: readonly string[];
  readonly isQuery: boolean;
  readonly signal: AbortSignal | undefined;
  readonly settle: (vectors: Float32Array[]) => void;
  readonly fail: (error: unknown) => void;
  attempts: number;
}

/** A thread, and what it works on. */
interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
}

const SLICE_TEXTS = 32;
const SLICE_CHARACTERS = 4_000;
const ATTEMPTS = 2;
const MOST_THREADS = 4;
/** Jobs that wait before another thread is worth its start: it loads the model first. */
const WORTH_A_THREAD = 4;

/** Hands texts to threads that are started when needed, started again when they die, and keep no process alive. */
export class EmbedThreads {
  readonly #files: ModelFiles;
  readonly #options: EmbedThreadsOptions;
  readonly #most: number;
  readonly #waiting: Job[] = [];
  readonly #threads = new Set<Thread>();
  #isClosed = false;

  constructor(files: ModelFiles, options: EmbedThreadsOptions = {}) {
    this.#files = files;
    this.#options = options;
    this.#most = options.most ?? Math.min(availableParallelism(), MOST_THREADS);
  }

  async embed(texts: readonly string[], { as, signal }: EmbedOptions): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    const slices = toSlices(texts);
    const isQuery = as === 'query';
    const parts = slices.map(
      (slice) =>
        new Promise<Float32Array[]>((settle, fail) => {
          this.#waiting.push({ texts: slice, isQuery, signal, settle, fail, attempts: 0 });
        }),
    );
    this.#next();
    return (await Promise.all(parts)).flat();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const threads = [...this.#threads];
    this.#threads.clear();
    for (const job of [...threads.map((thread) => thread.job), ...this.#waiting.splice(0)]) job?.fail(closedError());
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#findThread();
      if (thread === undefined) break;
      // A caller waits for the answer to a question; documents can wait.
      const urgent = this.#waiting.findIndex(({ isQuery }) => isQuery);
      const [job] = this.#waiting.splice(Math.max(0, urgent), 1);
      if (job === undefined) break;
      if (this.#isClosed) job.fail(closedError());
      else if (job.signal?.aborted === true) job.fail(job.signal.reason);
      else this.#send(job, thread);
    }
    // An idle thread must not keep the process alive.
    for (const { job, worker } of this.#threads) if (job === undefined) worker.unref();
  }

  /** An idle thread, or a new one: the first at once, others when much waits. */
  #findThread(): Thread | Error | undefined {
    const idle = [...this.#threads].find(({ job }) => job === undefined);
    if (idle !== undefined) return idle;
    const count = this.#threads.size;
    if (count > 0 && (count >= this.#most || this.#waiting.length < WORTH_A_THREAD)) return undefined;
    try {
      return this.#start(count > 0);
    } catch (error) {
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  #send(job: Job, thread: Thread | Error): void {
    if (thread instanceof Error) {
      job.fail(thread);
      return;
    }
    thread.job = job;
    job.attempts++;
    thread.worker.ref();
    thread.worker.postMessage({ texts: job.texts } satisfies EmbedOrder);
  }

  #start(isFurther: boolean): Thread {
    const { engine = 'auto', program = findThreadProgram('embed-worker', import.meta.url) } = this.#options;
    const workerData = { files: this.#files, engine, isFurther } satisfies EmbedThread;
    // The options of this process, such as a loader of its tests, are not for this thread.
    const worker = new Worker(program, { workerData, execArgv: [], name: 'pegboard-embedder' });
    const thread: Thread = { worker, job: undefined };
    this.#threads.add(thread);
    let reason = 'it ended';
    worker.on('message', (answer: EmbedAnswer) => this.#receive(answer, thread));
    worker.on('error', (error: unknown) => (reason = messageOf(error)));
    worker.on('exit', () => {
      if (this.#threads.delete(thread)) this.#retry(thread.job, reason);
    });
    return thread;
  }

  #receive(answer: EmbedAnswer, thread: Thread): void {
    const { job } = thread;
    thread.job = undefined;
    if (!answer.ok) job?.fail(new ToolError({ code: 'execution_failed', message: answer.message }));
    else {
      const { vectors, dimension } = answer;
      job?.settle(job.texts.map((_, place) => vectors.slice(place * dimension, (place + 1) * dimension)));
    }
    this.#next();
  }

  /** Tries the texts of a thread that died once more; when they fail twice, the texts are the reason. */
  #retry(job: Job | undefined, reason: string): void {
    if (job !== undefined && job.attempts < ATTEMPTS) this.#waiting.unshift(job);
    else {
      const message = `The local embedder's thread died twice: ${reason}. Give the process more memory, or use another platform.`;
      job?.fail(new ToolError({ code: 'execution_failed', message }));
    }
    this.#next();
  }
}

function toSlices(texts: readonly string[]): string[][] {
  const slices: string[][] = [];
  let characters = Infinity;
  for (const text of texts) {
    const last = slices.at(-1);
    if (last === undefined || last.length >= SLICE_TEXTS || characters + text.length > SLICE_CHARACTERS) {
      slices.push([text]);
      characters = text.length;
    } else {
      last.push(text);
      characters += text.length;
    }
  }
  return slices;
}

function closedError(): ToolError {
  return new ToolError({ code: 'cancelled', message: 'The embedder is closed. Use the current board.' });
}
