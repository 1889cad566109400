import type { CallApproval, RequestNoter } from './calls/call-runtime.ts';
import { Cancellation, type CancelSignal } from './calls/cancellation.ts';

/** Writes messages for people. The model never sees them. */
export interface ToolLog {
  debug(message: string, data?: Readonly<Record<string, unknown>>): void;
  info(message: string, data?: Readonly<Record<string, unknown>>): void;
  warn(message: string, data?: Readonly<Record<string, unknown>>): void;
  error(message: string, data?: Readonly<Record<string, unknown>>): void;
}

/** The cancellation of a call, for code on the path of every call. Cheaper than `signal`. */
export const CANCELLATION: unique symbol = Symbol('pegboard.cancellation');

export const SPAN: unique symbol = Symbol('pegboard.span');

/** Records requests to other systems; used by `tool/calls/call-owner.ts`. */
export const REQUESTS: unique symbol = Symbol('pegboard.requests');

/** The services of the pipeline for one call. */
export interface CallRuntime {
  readonly callId: string;
  /** The id in the board's record; `undefined` when calls are not recorded. */
  readonly recordId?: string | undefined;
  /** The caller's options for an approval. */
  readonly approval?: CallApproval | undefined;
  /** Stays the same when the call is repeated after a crash; `undefined` when it would not be repeated. */
  readonly idempotencyKey?: string | undefined;
  /** Created on first use: most tools never read it. */
  readonly signal: AbortSignal;
  readonly [CANCELLATION]: CancelSignal;
  /** The parent of spans inside the call. */
  readonly [SPAN]?: unknown;
  /** @internal Records requests to other systems. */
  readonly [REQUESTS]?: RequestNoter | undefined;
  readonly log: ToolLog;
  progress(done: number, total?: number, message?: string): void;
  /** Restarts the timeout of the call, up to ten times the timeout in total. */
  putOffTimeout(): void;
  /** Waits for work that does not count toward the timeout. */
  untimed<T>(work: PromiseLike<T>): Promise<T>;
  /** Sets text to add to the error when the call is cancelled or times out. */
  keepOnEnd(describe: () => string): void;
}

/**
 * The metadata key for the bounds of a call. Code that copies metadata to a new context must copy them too.
 *
 * `tool/calls/call-bounds.ts` reads and writes them. Data from outside cannot contain a symbol.
 */
export const BOUNDS: unique symbol = Symbol('pegboard.bounds');

/** The metadata key for the client of a call, like `BOUNDS`. `tool/calls/call-owner.ts` reads it. */
export const CLIENT: unique symbol = Symbol('pegboard.client');

const NO_METADATA: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));
const ignore = (): void => {};
const SILENT_LOG: ToolLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };

const IDLE_RUNTIME: CallRuntime = {
  callId: '',
  get signal() {
    return new AbortController().signal;
  },
  get [CANCELLATION]() {
    return new Cancellation();
  },
  log: SILENT_LOG,
  progress: ignore,
  putOffTimeout: ignore,
  untimed: async (work) => work,
  keepOnEnd: ignore,
};

/**
 * The context of a call: everything apart from its arguments. Immutable: changes return a new context.
 *
 * @example
 * const orders = defineTool({
 *   name: 'orders',
 *   description: 'List the orders of the user.',
 *   schema: z.object({}),
 *   async execute(_, context) {
 *     const response = await fetch(`https://shop.example/${context.getMeta('user', 'guest')}`, { signal: context.signal });
 *     return response.text();
 *   },
 * });
 * await new ToolRegistry().register(orders).call('orders', {}, { context: { user: 'ada' } });
 */
export class ToolContext {
  readonly #metadata: Readonly<Record<string, unknown>>;
  readonly #runtime: CallRuntime;

  constructor(metadata: Readonly<Record<string, unknown>> = NO_METADATA, runtime: CallRuntime = IDLE_RUNTIME) {
    this.#metadata = metadata;
    this.#runtime = runtime;
  }

  /** Converts a context, plain metadata or nothing to a context. */
  static from(value: ToolContext | Readonly<Record<string, unknown>> | undefined): ToolContext {
    if (value instanceof ToolContext) return value;
    return value === undefined ? EMPTY_CONTEXT : new ToolContext({ ...value });
  }

  /** Returns the value stored under `key`, or `fallback`, which also sets the type. */
  getMeta(key: string): unknown;
  getMeta(key: string, fallback: string): string;
  getMeta(key: string, fallback: number): number;
  getMeta(key: string, fallback: boolean): boolean;
  getMeta<T>(key: string, fallback: T): T;
  getMeta(key: string, fallback?: unknown): unknown {
    return Object.hasOwn(this.#metadata, key) ? this.#metadata[key] : fallback;
  }

  /** Returns true when a value is stored under `key`, even `undefined`. */
  hasMeta(key: string): boolean {
    return Object.hasOwn(this.#metadata, key);
  }

  /** Replaces the metadata. The bounds and the client of the call stay. */
  withMetadata(metadata: Readonly<Record<string, unknown>>): ToolContext {
    return new ToolContext(this.#keepBounds({ ...metadata }), this.#runtime);
  }

  /** Adds metadata; new values win. The bounds and the client of the call stay. */
  mergeMetadata(metadata: Readonly<Record<string, unknown>>): ToolContext {
    return new ToolContext(this.#keepBounds({ ...this.#metadata, ...metadata }), this.#runtime);
  }

  /** The bounds that `tool/calls/call-bounds.ts` stores here. */
  get [BOUNDS](): unknown {
    return this.#kept[BOUNDS];
  }

  /** The client that `tool/calls/call-owner.ts` stores here. */
  get [CLIENT](): unknown {
    return this.#kept[CLIENT];
  }

  /** Returns a context with the same metadata for another call. Used by the pipeline. */
  withRuntime(runtime: CallRuntime): ToolContext {
    return new ToolContext(this.#metadata, runtime);
  }

  /** A copy of all metadata. */
  get metadata(): Record<string, unknown> {
    return { ...this.#metadata };
  }

  /** The id in the board's record; `undefined` when calls are not recorded. */
  get recordId(): string | undefined {
    return this.#runtime.recordId;
  }

  /** The caller's options for an approval. A tool that calls others passes them on with keys derived from this one. */
  get approval(): CallApproval | undefined {
    return this.#runtime.approval;
  }

  /**
   * A key that stays the same when the call is repeated, for example when an agent run resumes after a crash. Pass it to the service that
   * does the work, so that it is done once. `undefined` when the call would not be repeated.
   */
  get idempotencyKey(): string | undefined {
    return this.#runtime.idempotencyKey;
  }

  /** Aborts when the call times out or is cancelled. Pass it on to everything that waits. */
  get signal(): AbortSignal {
    return this.#runtime.signal;
  }

  get [CANCELLATION](): CancelSignal {
    return this.#runtime[CANCELLATION];
  }

  get [SPAN](): unknown {
    return this.#runtime[SPAN];
  }

  /** @internal */
  get [REQUESTS](): RequestNoter | undefined {
    return this.#runtime[REQUESTS];
  }

  /** The id that the caller or the provider gave the call. */
  get callId(): string {
    return this.#runtime.callId;
  }

  get log(): ToolLog {
    return this.#runtime.log;
  }

  /** Reports progress to callers that listen. */
  progress(done: number, total?: number, message?: string): void {
    this.#runtime.progress(done, total, message);
  }

  /** Restarts the timeout, for work that shows progress; up to ten times the timeout in total. */
  putOffTimeout(): void {
    this.#runtime.putOffTimeout();
  }

  /** Waits for work that does not count toward the timeout, such as a place in a queue. */
  untimed<T>(work: PromiseLike<T>): Promise<T> {
    return this.#runtime.untimed(work);
  }

  /** Sets text to add to the error when the call times out or is cancelled, such as partial results. */
  keepOnEnd(describe: () => string): void {
    this.#runtime.keepOnEnd(describe);
  }

  get #kept(): { readonly [BOUNDS]?: unknown; readonly [CLIENT]?: unknown } {
    // Any key of metadata may be read.
    return this.#metadata;
  }

  #keepBounds(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { [BOUNDS]: bounds, [CLIENT]: client } = this.#kept;
    if (bounds === undefined && client === undefined) return metadata;
    return { ...metadata, [BOUNDS]: bounds, [CLIENT]: client };
  }
}

const EMPTY_CONTEXT = new ToolContext();
