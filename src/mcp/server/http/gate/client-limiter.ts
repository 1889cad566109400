import type { ClientLimits } from '../http-options.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
  running: number;
  admitted: number;
  /** Requests in progress at other processes that serve the board. */
  runningElsewhere: number;
}

/** The requests of one client to one process. */
export interface ClientUsage {
  readonly admitted: number;
  readonly running: number;
}

const MAX_BUCKETS = 10_000;

/** Counts the requests of each client: returns the seconds to wait if there are too many, otherwise a function that ends the request. */
export class ClientLimiter {
  readonly #buckets = new Map<string, Bucket>();
  /** Changing the limits keeps the counts. */
  limits: ClientLimits;
  readonly #now: () => number;
  onAdmitted: (() => void) | undefined;

  constructor(limits: ClientLimits, now: () => number = () => performance.now()) {
    this.limits = limits;
    this.#now = now;
  }

  get isActive(): boolean {
    return this.limits.rate !== undefined || this.limits.concurrency !== undefined;
  }

  start(client: string): { readonly ok: true; end(): void } | { readonly ok: false; readonly retryAfter: number } {
    const { rate, concurrency = Infinity } = this.limits;
    const burst = this.limits.burst ?? (rate === undefined ? Infinity : rate * 2);
    const bucket = this.#bucket(client, burst);
    if (rate !== undefined) {
      const now = this.#now();
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * rate);
      bucket.filledAt = now;
      if (bucket.tokens < 1) return { ok: false, retryAfter: Math.max(1, Math.ceil((1 - bucket.tokens) / rate)) };
    }
    if (bucket.running + bucket.runningElsewhere >= concurrency) return { ok: false, retryAfter: 1 };
    bucket.tokens -= 1;
    bucket.running += 1;
    bucket.admitted += 1;
    this.onAdmitted?.();
    let isOver = false;
    return {
      ok: true,
      end: () => {
        if (!isOver) bucket.running -= 1;
        isOver = true;
      },
    };
  }

  usage(): Map<string, ClientUsage> {
    return new Map([...this.#buckets].map(([client, { admitted, running }]) => [client, { admitted, running }]));
  }

  /** Adds requests at other processes: those since the last call, and those in progress. */
  countElsewhere(client: string, { admitted, running }: ClientUsage): void {
    const bucket = this.#buckets.get(client);
    if (bucket === undefined) return;
    bucket.runningElsewhere = running;
    // A client far over the limit elsewhere waits no longer than one that is so here.
    if (this.limits.rate !== undefined) bucket.tokens = Math.max(bucket.tokens - admitted, -this.limits.rate);
  }

  #bucket(client: string, burst: number): Bucket {
    let bucket = this.#buckets.get(client);
    if (bucket !== undefined) return bucket;
    if (this.#buckets.size >= MAX_BUCKETS) {
      for (const [name, { running }] of this.#buckets) if (running === 0) this.#buckets.delete(name);
    }
    bucket = { tokens: burst, filledAt: this.#now(), running: 0, admitted: 0, runningElsewhere: 0 };
    this.#buckets.set(client, bucket);
    return bucket;
  }
}
