import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type EmbedOptions, toBatches } from '../embedder.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { findThreadProgram } from '../../platform/process/task-thread.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** The paths of the model's files. */
export interface ModelFiles {
  readonly weights: string;
  readonly vocabulary: string;
}

/** The engine that runs the model. `auto`: onnxruntime-node if it is installed, else WebAssembly. */
export type EmbedEngine = 'auto' | 'onnx' | 'wasm';

/** The start-up data of a thread. */
export interface EmbedThread {
  readonly files: ModelFiles;
  readonly engine: EmbedEngine;
  /** True if it is not the first thread. It then runs with lower priority, because the first one answers queries. */
  readonly isFurther: boolean;
}

export interface EmbedOrder {
  readonly texts: readonly string[];
}

/** A thread's answer: all vectors in one array, or the reason for the failure. */
export type EmbedAnswer =
  | { readonly ok: true; readonly vectors: Float32Array<ArrayBuffer>; readonly dimension: number }
  | { readonly ok: false; readonly message: string };

interface EmbedThreadsOptions {
  /** Default: `auto`. */
  readonly engine?: EmbedEngine | undefined;
  /** The largest number of threads. Default: one for each core, up to 4. */
  readonly most?: number | undefined;
  /** The program of a thread, replaced in tests. */
  readonly program?: URL | undefined;
}

/** Some texts of one call, few enough that a query does not wait long. */
interface Job {
  readonly texts: readonly string[];
  readonly isQuery: boolean;
  readonly signal: AbortSignal | undefined;
  readonly settle: (vectors: Float32Array[]) => void;
  readonly fail: (error: unknown) => void;
  attempts: number;
}

/** A thread and its current job. */
interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
}

const SLICE_TEXTS = 32;
const SLICE_CHARACTERS = 4_000;
const ATTEMPTS = 2;
const MOST_THREADS = 4;
/** Waiting jobs that justify another thread, which has to load the model first. */
const WORTH_A_THREAD = 4;

/** Distributes texts over threads. Threads start when needed, restart when they die and keep no process alive. */
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
    const slices = toBatches(texts, { texts: SLICE_TEXTS, characters: SLICE_CHARACTERS });
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
      // A caller waits for a query; documents can wait.
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

  /** Returns an idle thread or starts one: the first at once, others when many jobs wait. */
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
    // Options of this process, such as a test runner's loader, must not apply to the thread.
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

  /** Retries the job of a thread that died once; if that fails too, the texts are the cause. */
  #retry(job: Job | undefined, reason: string): void {
    if (job !== undefined && job.attempts < ATTEMPTS) this.#waiting.unshift(job);
    else {
      const message = `The local embedder's thread died twice: ${reason}. Give the process more memory, or use another platform.`;
      job?.fail(new ToolError({ code: 'execution_failed', message }));
    }
    this.#next();
  }
}

function closedError(): ToolError {
  return new ToolError({ code: 'cancelled', message: 'The embedder is closed. Use the current board.' });
}
