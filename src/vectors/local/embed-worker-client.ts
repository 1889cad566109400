import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { EmbedOptions } from '../embedder.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Where the files of the model are. */
export interface ModelFiles {
  readonly weights: string;
  readonly vocabulary: string;
}

/** What the worker is sent. */
export interface EmbedOrder {
  readonly texts: readonly string[];
}

/** What it answers: the vectors one after the other, or why there are none. */
export type EmbedAnswer =
  | { readonly ok: true; readonly vectors: Float32Array; readonly dimension: number }
  | { readonly ok: false; readonly message: string };

/** Some texts of one caller, small enough that a question soon has its turn. */
interface Job {
  readonly texts: readonly string[];
  readonly isQuery: boolean;
  readonly signal: AbortSignal | undefined;
  readonly settle: (vectors: Float32Array[]) => void;
  readonly fail: (error: unknown) => void;
  attempts: number;
}

/** As the sources have it, and as the build has it beside its chunks. */
const PLACES = ['./embed-worker.ts', '../embed-worker.js', './embed-worker.js'];
const SLICE_TEXTS = 32;
const SLICE_CHARACTERS = 4_000;
const ATTEMPTS = 2;

/** Hands texts to a thread that is started when needed, started again when it dies, and keeps no process alive. */
export class EmbedWorker {
  readonly #files: ModelFiles;
  readonly #place: URL | undefined;
  readonly #waiting: Job[] = [];
  #current: Job | undefined;
  #worker: Worker | undefined;
  #isClosed = false;

  /** `place` is the thread's program. Default: the one of this package. */
  constructor(files: ModelFiles, place?: URL) {
    this.#files = files;
    this.#place = place;
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
    const worker = this.#worker;
    this.#worker = undefined;
    for (const job of [this.#current, ...this.#waiting.splice(0)]) job?.fail(closedError());
    this.#current = undefined;
    await worker?.terminate();
  }

  #next(): void {
    while (this.#current === undefined && this.#waiting.length > 0) {
      // A caller waits for the answer to a question; documents can wait.
      const urgent = this.#waiting.findIndex(({ isQuery }) => isQuery);
      const [job] = this.#waiting.splice(Math.max(0, urgent), 1);
      if (job === undefined) return;
      if (this.#isClosed) job.fail(closedError());
      else if (job.signal?.aborted === true) job.fail(job.signal.reason);
      else this.#send(job);
    }
    // An idle thread must not keep the process alive.
    if (this.#current === undefined) this.#worker?.unref();
  }

  #send(job: Job): void {
    this.#current = job;
    job.attempts++;
    try {
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage({ texts: job.texts } satisfies EmbedOrder);
    } catch (error) {
      this.#current = undefined;
      job.fail(error);
    }
  }

  #start(): Worker {
    const place = this.#place ?? findProgram();
    // The options of this process, such as a loader of its tests, are not for this thread.
    const worker = new Worker(place, { workerData: this.#files, execArgv: [], name: 'pegboard-embedder' });
    let reason = 'it ended';
    worker.on('message', (answer: EmbedAnswer) => this.#receive(answer));
    worker.on('error', (error: unknown) => (reason = messageOf(error)));
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#retry(reason);
    });
    return worker;
  }

  #receive(answer: EmbedAnswer): void {
    const job = this.#current;
    this.#current = undefined;
    if (!answer.ok) job?.fail(new ToolError({ code: 'execution_failed', message: answer.message }));
    else {
      const { vectors, dimension } = answer;
      job?.settle(job.texts.map((_, place) => vectors.slice(place * dimension, (place + 1) * dimension)));
    }
    this.#next();
  }

  /** Tries the texts of a thread that died once more; when they fail twice, the texts are the reason. */
  #retry(reason: string): void {
    const job = this.#current;
    this.#current = undefined;
    if (job !== undefined && job.attempts < ATTEMPTS) this.#waiting.unshift(job);
    else {
      const message = `The local embedder's thread died twice: ${reason}. Give the process more memory, or use another platform.`;
      job?.fail(new ToolError({ code: 'execution_failed', message }));
    }
    this.#next();
  }
}

function findProgram(): URL {
  const place = PLACES.map((file) => new URL(file, import.meta.url)).find((url) => existsSync(fileURLToPath(url)));
  if (place !== undefined) return place;
  const message = 'The package lacks the program of the embedder’s thread. Install pegboard again.';
  throw new ToolError({ code: 'execution_failed', message });
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
