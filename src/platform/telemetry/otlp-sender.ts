export interface OtlpSenderOptions<T> {
  /** The full address: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Creates the body of one request. */
  readonly toBody: (items: readonly T[]) => unknown;
  /** Called once per outage with the reason why the collector accepts nothing. */
  readonly warn: (message: string) => void;
  /** Default: Node's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Milliseconds for which items wait to form a batch. */
const BATCH = 1_000;
const MOST_AT_ONCE = 512;
/** Maximum number of waiting items; further ones are dropped and counted. */
const MOST_WAITING = 4_096;
/** Milliseconds for an answer, and the longest pause after a failure. */
const TIMEOUT = 10_000;
const LONGEST_PAUSE = 30_000;
/** Statuses after which OTLP allows sending the same items again. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Sends items to an OpenTelemetry collector as OTLP/HTTP with JSON, in background batches. Never throws. */
export class OtlpSender<T> {
  readonly #options: OtlpSenderOptions<T>;
  #waiting: T[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #pause = 0;
  #dropped = 0;
  #isClosed = false;

  constructor(options: OtlpSenderOptions<T>) {
    this.#options = options;
  }

  /** Number of items dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  add(item: T): void {
    if (this.#isClosed || this.#waiting.length >= MOST_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(item);
    this.#timer ??= setTimeout(() => void this.flush(), this.#pause + BATCH).unref();
  }

  /** Sends waiting items. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined)));
  }

  /** Sends waiting items once and accepts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    clearTimeout(this.#timer);
    this.#dropped += this.#waiting.splice(0).length;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const items = this.#waiting.slice(0, MOST_AT_ONCE);
      const outcome = await this.#send(items);
      if (outcome.type !== 'again') this.#waiting.splice(0, items.length);
      if (outcome.type === 'sent') {
        this.#pause = 0;
        continue;
      }
      if (this.#pause === 0) this.#options.warn(`${shown(this.#options.url)} takes no telemetry: ${outcome.why}`);
      this.#pause = Math.min(Math.max(2 * this.#pause, BATCH), LONGEST_PAUSE);
      if (outcome.type === 'refused') {
        this.#dropped += items.length;
        continue;
      }
      if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.flush(), this.#pause).unref();
      return;
    }
  }

  async #send(items: readonly T[]): Promise<SendOutcome> {
    const { url, headers, toBody, fetch: send = fetch } = this.#options;
    try {
      const response = await send(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(toBody(items)),
        redirect: 'error',
        signal: AbortSignal.timeout(this.#isClosed ? TIMEOUT / 5 : TIMEOUT),
      });
      await response.body?.cancel();
      if (response.ok) return { type: 'sent' };
      return { type: TRY_AGAIN.has(response.status) ? 'again' : 'refused', why: `it answered ${response.status}` };
    } catch (error) {
      return { type: 'again', why: error instanceof Error ? error.message : String(error) };
    }
  }
}

type SendOutcome = { readonly type: 'sent' } | { readonly type: 'again' | 'refused'; readonly why: string };

/** Removes parts of a URL that may be secret. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

export type OtlpValue = string | number | boolean | readonly string[];

export function toOtlpAttributes(attributes: Readonly<Record<string, OtlpValue | undefined>>): readonly unknown[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toOtlpValue(value) }],
  );
}

function toOtlpValue(value: OtlpValue): Readonly<Record<string, unknown>> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
}
