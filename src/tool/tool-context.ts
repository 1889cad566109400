import type { RequestNoter } from './calls/call-requests.ts';
import type { CallApproval } from './calls/call-approval.ts';
import { Cancellation, type CancelSignal } from './calls/cancellation.ts';

/** Where a tool writes what it wants people to know; never seen by the model. */
export interface ToolLog {
  debug(message: string, data?: Readonly<Record<string, unknown>>): void;
  info(message: string, data?: Readonly<Record<string, unknown>>): void;
  warn(message: string, data?: Readonly<Record<string, unknown>>): void;
  error(message: string, data?: Readonly<Record<string, unknown>>): void;
}

/** Where a context has the end of its call for code that every call runs through: cheaper than its `signal`. */
export const CANCELLATION: unique symbol = Symbol('pegboard.cancellation');

/** Where a context has the span of its call. */
export const SPAN: unique symbol = Symbol('pegboard.span');

/** Where a context notes requests to other systems; `tool/calls/call-requests.ts` uses it. */
export const REQUESTS: unique symbol = Symbol('pegboard.requests');

/** What the pipeline lends a context for the length of one call. */
export interface CallRuntime {
  readonly callId: string;
  /** The id under which the board records this call; none where calls are not recorded. */
  readonly recordId?: string | undefined;
  /** What the call does when it needs a person's yes, as its caller said. */
  readonly approval?: CallApproval | undefined;
  /** Stays the same when the same call is made again after a crash; none where no one would make it again. */
  readonly idempotencyKey?: string | undefined;
  /** Made on first use: most tools never look at it. */
  readonly signal: AbortSignal;
  readonly [CANCELLATION]: CancelSignal;
  /** What spans inside of the call belong to. */
  readonly [SPAN]?: unknown;
  /** @internal Notes requests to other systems. */
  readonly [REQUESTS]?: RequestNoter | undefined;
  readonly log: ToolLog;
  progress(done: number, total?: number, message?: string): void;
  /** Gives the call its timeout anew, up to ten times its timeout in all. */
  putOffTimeout(): void;
  /** Waits for work that does not count towards the call's time. */
  untimed<T>(work: PromiseLike<T>): Promise<T>;
  /** Takes what the error should tell besides when the call is ended from outside. */
  keepOnEnd(describe: () => string): void;
}

/**
 * Where metadata keeps the bounds of a call: code that copies metadata into a new context hands them on with it.
 *
 * `tool/calls/call-bounds.ts` reads and writes them. No data from outside can name a symbol.
 */
export const BOUNDS: unique symbol = Symbol('pegboard.bounds');

/** Where metadata keeps the client that a call is made for, as `BOUNDS` does it. `tool/calls/call-owner.ts` reads it. */
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
 * What a tool knows about the call besides its arguments. Immutable: changes give a new context.
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

  /** Takes a context, plain metadata or nothing, and gives a context. */
  static from(value: ToolContext | Readonly<Record<string, unknown>> | undefined): ToolContext {
    if (value instanceof ToolContext) return value;
    return value === undefined ? EMPTY_CONTEXT : new ToolContext({ ...value });
  }

  /** The value stored under `key`, or `fallback` when there is none. The fallback says which type was stored. */
  getMeta(key: string): unknown;
  getMeta(key: string, fallback: string): string;
  getMeta(key: string, fallback: number): number;
  getMeta(key: string, fallback: boolean): boolean;
  getMeta<T>(key: string, fallback: T): T;
  getMeta(key: string, fallback?: unknown): unknown {
    return Object.hasOwn(this.#metadata, key) ? this.#metadata[key] : fallback;
  }

  /** Tells whether anything is stored under `key`, `undefined` included. */
  hasMeta(key: string): boolean {
    return Object.hasOwn(this.#metadata, key);
  }

  /** A context with this metadata and no other. What bounds the call, and whose it is, stays. */
  withMetadata(metadata: Readonly<Record<string, unknown>>): ToolContext {
    return new ToolContext(this.#keepBounds({ ...metadata }), this.#runtime);
  }

  /** A context with this metadata added, new values winning. What bounds the call, and whose it is, stays. */
  mergeMetadata(metadata: Readonly<Record<string, unknown>>): ToolContext {
    return new ToolContext(this.#keepBounds({ ...this.#metadata, ...metadata }), this.#runtime);
  }

  /** What `tool/calls/call-bounds.ts` keeps here. */
  get [BOUNDS](): unknown {
    return this.#kept[BOUNDS];
  }

  /** What `tool/calls/call-owner.ts` keeps here. */
  get [CLIENT](): unknown {
    return this.#kept[CLIENT];
  }

  /** The same metadata in another call. Used by the pipeline. */
  withRuntime(runtime: CallRuntime): ToolContext {
    return new ToolContext(this.#metadata, runtime);
  }

  /** A copy of all metadata. */
  get metadata(): Record<string, unknown> {
    return { ...this.#metadata };
  }

  /** The id under which the board records this call; `undefined` where calls are not recorded. */
  get recordId(): string | undefined {
    return this.#runtime.recordId;
  }

  /**
   * What the call does when it needs a person's yes, as its caller said: a tool that calls others passes it on with keys of its
   * own, made from this one.
   */
  get approval(): CallApproval | undefined {
    return this.#runtime.approval;
  }

  /**
   * A key that stays the same when the same call is made again, such as by a run of an agent that goes on after a crash: hand it
   * to what does the work, so that it is done once. `undefined` where the call would not be made again.
   */
  get idempotencyKey(): string | undefined {
    return this.#runtime.idempotencyKey;
  }

  /** Aborts when the call times out or is cancelled: pass it on to what waits. */
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
  get [REQUESTS](): CallRuntime[typeof REQUESTS] {
    return this.#runtime[REQUESTS];
  }

  /** The call's id, as the caller or the provider named it. */
  get callId(): string {
    return this.#runtime.callId;
  }

  get log(): ToolLog {
    return this.#runtime.log;
  }

  /** Reports how far the call has come, to callers that listen. */
  progress(done: number, total?: number, message?: string): void {
    this.#runtime.progress(done, total, message);
  }

  /** Gives the call its timeout anew, for work that shows that it goes on; up to ten times the timeout in all. */
  putOffTimeout(): void {
    this.#runtime.putOffTimeout();
  }

  /** Waits for work that does not count towards the call's time, such as a place in a line. */
  untimed<T>(work: PromiseLike<T>): Promise<T> {
    return this.#runtime.untimed(work);
  }

  /** Takes what the error tells besides when the call times out or is cancelled: what the tool has found so far. */
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
