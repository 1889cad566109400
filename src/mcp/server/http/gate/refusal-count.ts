interface Count {
  /** Refusals that still count; they fade with time. */
  refusals: number;
  countedAt: number;
}

const MAX_ADDRESSES = 10_000;
const MINUTE = 60_000;

/** Counts refusals by address: so many at once, and so many each minute. Addresses that gave no cause for long are forgotten. */
export class RefusalCount {
  readonly #counts = new Map<string, Count>();
  /** Refusals at once, and each minute; what was counted stays. */
  limit: number;
  readonly #now: () => number;

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.limit = limit;
    this.#now = now;
  }

  /** True when any address was refused recently. */
  get isActive(): boolean {
    return this.#counts.size > 0;
  }

  /** Number of remembered addresses. */
  get size(): number {
    return this.#counts.size;
  }

  add(address: string): void {
    const refusals = this.#current(address) + 1;
    // The map is in the order of the last refusal, so that the address refused longest ago goes first.
    this.#counts.delete(address);
    this.#counts.set(address, { refusals: Math.min(refusals, this.limit), countedAt: this.#now() });
    for (const [oldest, { countedAt }] of this.#counts) {
      const isFaded = this.#now() - countedAt > MINUTE;
      if (!isFaded && this.#counts.size <= MAX_ADDRESSES) break;
      this.#counts.delete(oldest);
    }
  }

  /** Seconds until another token of this address is looked at; 0 for now. */
  secondsToWait(address: string): number {
    const over = this.#current(address) - (this.limit - 1);
    return over <= 0 ? 0 : Math.max(1, Math.ceil((over / this.limit) * (MINUTE / 1000)));
  }

  #current(address: string): number {
    const count = this.#counts.get(address);
    if (count === undefined) return 0;
    return Math.max(0, count.refusals - ((this.#now() - count.countedAt) / MINUTE) * this.limit);
  }
}
