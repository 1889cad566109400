import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { compileModule } from '../../platform/wasm/open-kernel.ts';
import { FairSlots } from '../../platform/fair-slots.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { findThreadProgram } from '../../platform/process/task-thread.ts';
import { readLimits } from '../code-limits.ts';
import { PRELUDE } from './prelude.ts';
import type {
  SandboxAnswer,
  SandboxEnd,
  SandboxOrder,
  SandboxReport,
  SandboxSnapshot,
  SandboxStart,
  SandboxTurn,
} from './sandbox-messages.ts';

/** Programs that run at once in this process. */
const MAX_RUNNING = 32;
const MAX_IDLE = 2;
/** Milliseconds that an idle thread is kept. */
const IDLE_TIME = 30_000;
/** Milliseconds the engine has to stop by itself before its thread is terminated. */
const GRACE = 500;

/** A thread that waits for a program. */
interface IdleWorker {
  readonly worker: Worker;
  readonly timer: NodeJS.Timeout;
}

const idle: IdleWorker[] = [];
/** Each caller has its share; a caller that finds no slot fails at once. */
const slots = new FairSlots({ limit: MAX_RUNNING, queue: 0 });
let compiled: Promise<{ readonly wasm: object; readonly build: string }> | undefined;

/** A running program in its own thread. It continues with each answer, until its end or `close`. */
export class Sandbox {
  readonly #worker: Worker;
  readonly #compute: number;
  readonly #free: () => void;
  #turn: PromiseWithResolvers<SandboxReport> | undefined;
  #isOver = false;

  private constructor(worker: Worker, compute: number, free: () => void) {
    this.#worker = worker;
    this.#compute = compute;
    this.#free = free;
    worker.ref();
    worker.on('message', this.#receive);
    worker.on('error', this.#fail);
    worker.on('exit', this.#fail);
  }

  /**
   * Starts a program for a caller; returns it with its events up to its first wait or the signal. Throws `busy` when too many
   * run, of this caller or in total.
   */
  static async start(
    start: SandboxStart,
    { signal, caller = '' }: { readonly signal?: AbortSignal; readonly caller?: string | undefined } = {},
  ): Promise<{ readonly sandbox: Sandbox; readonly turn: SandboxTurn }> {
    const slot = slots.take(caller);
    if (slot === undefined) {
      const message =
        slots.taken < MAX_RUNNING
          ? `This caller runs as many programs as it may: the other slots, of ${MAX_RUNNING}, are for other callers. Try again when one has ended.`
          : `${MAX_RUNNING} programs are already running. Try again when one of them has ended.`;
      throw new ToolError({ code: 'busy', message });
    }
    const free = (): void => slot.leave();
    try {
      const worker = takeIdle() ?? (await (takeStarting() ?? startWorker()));
      const sandbox = new Sandbox(worker, start.limits.compute, free);
      const stop = (): void => sandbox.close();
      signal?.addEventListener('abort', stop, { once: true });
      try {
        if (signal?.aborted === true) stop();
        return { sandbox, turn: await sandbox.#send(start) };
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    } catch (error) {
      free();
      throw error;
    }
  }

  /** Gives answers, in this order; resolves when the program waits again or has ended. */
  answer(answers: readonly SandboxAnswer[]): Promise<SandboxTurn> {
    return this.#send({ type: 'answer', answers });
  }

  /** Returns the state of a waiting program. */
  async snapshot(): Promise<SandboxSnapshot> {
    const report = await this.#ask({ type: 'snapshot' });
    if (report.type !== 'snapshot') throw new Error('The sandbox did not give a snapshot.');
    return report.snapshot;
  }

  /** Ends the program in any state. */
  close(): void {
    if (this.#isOver) return;
    this.#leave();
    void this.#worker.terminate();
    this.#turn?.resolve(crashed());
  }

  async #send(order: SandboxOrder): Promise<SandboxTurn> {
    const report = await this.#ask(order);
    if (report.type !== 'turn') throw new Error('The sandbox gave no turn.');
    if (report.isEarly) this.close();
    else if (report.end !== undefined && !this.#isOver) this.#release();
    return report;
  }

  async #ask(order: SandboxOrder): Promise<SandboxReport> {
    const turn = (this.#turn = Promise.withResolvers<SandboxReport>());
    if (this.#isOver) turn.resolve(crashed());
    else this.#worker.postMessage(order);
    // The engine stops by itself, except inside a few of its own functions.
    const watchdog = setTimeout(() => {
      // Reads the messages the thread has already sent first.
      setImmediate(() => {
        if (this.#turn !== turn) return;
        turn.resolve(ended({ type: 'limit', limit: 'compute' }));
        this.close();
      });
    }, this.#compute + GRACE);
    try {
      return await turn.promise;
    } finally {
      clearTimeout(watchdog);
    }
  }

  readonly #receive = (report: SandboxReport): void => {
    const turn = this.#turn;
    this.#turn = undefined;
    turn?.resolve(report);
  };

  readonly #fail = (): void => {
    const turn = this.#turn;
    this.#turn = undefined;
    if (!this.#isOver) this.#leave();
    turn?.resolve(crashed());
  };

  /** Keeps the thread for the next program: the engine of this one is gone. */
  #release(): void {
    this.#leave();
    keepIdle(this.#worker);
  }

  #leave(): void {
    this.#isOver = true;
    this.#free();
    this.#worker.off('message', this.#receive);
    this.#worker.off('error', this.#fail);
    this.#worker.off('exit', this.#fail);
  }
}

function ended(end: SandboxEnd): SandboxTurn {
  return { type: 'turn', calls: [], logs: [], end, isEarly: false };
}

/** A thread dies when its heap is full: the texts sent to it were too large. */
function crashed(): SandboxTurn {
  return ended({ type: 'limit', limit: 'memory' });
}

function takeIdle(): Worker | undefined {
  const one = idle.pop();
  clearTimeout(one?.timer);
  one?.worker.removeAllListeners('exit');
  one?.worker.removeAllListeners('error');
  return one?.worker;
}

function keepIdle(worker: Worker): void {
  if (idle.length >= MAX_IDLE) {
    void worker.terminate();
    return;
  }
  // An idle thread must not keep the process alive.
  worker.unref();
  const drop = (): void => {
    const at = idle.findIndex((one) => one.worker === worker);
    if (at >= 0) clearTimeout(idle.splice(at, 1)[0]?.timer);
  };
  const timer = setTimeout(() => {
    drop();
    void worker.terminate();
  }, IDLE_TIME).unref();
  worker.once('exit', drop);
  worker.once('error', drop);
  idle.push({ worker, timer });
}

/** A thread being started for a program that is still being checked. */
let starting: Promise<Worker> | undefined;

function takeStarting(): Promise<Worker> | undefined {
  const one = starting;
  starting = undefined;
  return one;
}

/** Starts a thread for a program that was sent, if none is idle. Returns a function that makes it idle if no program took it. */
export function expectProgram(): () => void {
  if (idle.length > 0 || starting !== undefined) return () => {};
  const own = (starting = startWorker());
  // The program reports the failure.
  own.catch(() => {});
  return () => {
    if (starting !== own) return;
    starting = undefined;
    own.then(keepIdle, () => {});
  };
}

let warming: Promise<void> | undefined;

/** Starts a thread ahead of the first program, if none is idle. It ends by itself if no program comes. */
export function warmSandbox(): Promise<void> {
  // Runs an empty program, so that the thread has loaded its engine and waits for the next one.
  const start = async (): Promise<void> => {
    await Sandbox.start({
      type: 'start',
      code: 'return 1',
      input: 'null',
      seed: 1,
      limits: readLimits(),
      now: 0,
      answers: [],
    });
  };
  if (idle.length > 0) return Promise.resolve();
  return (warming ??= start().finally(() => (warming = undefined)));
}

/** Identifies the engine's build: a snapshot works only with the same build. */
export async function engineBuild(): Promise<string> {
  return (await compile()).build;
}

function compile(): NonNullable<typeof compiled> {
  return (compiled ??= readFile(fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm'))).then(
    async (bytes) => ({
      wasm: await compileModule(bytes),
      build: createHash('sha256').update(bytes).update(PRELUDE).digest('hex'),
    }),
  ));
}

/** Starts a thread. It loads its own code while this one compiles the engine. */
async function startWorker(): Promise<Worker> {
  const worker = new Worker(findThreadProgram('sandbox-worker', import.meta.url), {
    // The options of this process, such as a test loader, do not apply to this thread, which needs no environment either.
    execArgv: [],
    env: {},
    name: 'pegboard-code',
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 8 },
  });
  // Only a program keeps the process alive.
  worker.unref();
  try {
    worker.postMessage({ type: 'engine', wasm: (await compile()).wasm } satisfies SandboxOrder);
    return worker;
  } catch (error) {
    void worker.terminate();
    throw error;
  }
}
