import { createHash } from 'node:crypto';
import { isPlainObject } from '../../../../tool/json.ts';
import type { ClientLimiter, ClientUsage } from '../gate/client-limiter.ts';
import type { Replica } from './replica.ts';

const SPACE = 'mcp-usage';
/** Milliseconds between two exchanges, and until reported counts expire. */
const PERIOD = 1_000;
const TTL = 10_000;
/** Reported clients: those with the most requests. */
const MAX_REPORTED = 1_000;

/**
 * Applies limits to all replicas together: each reports the requests of its clients once a second.
 *
 * No request waits for that, so a client can exceed its limit by the requests of one second at each replica.
 */
export class SharedLimits {
  readonly #limiter: ClientLimiter;
  readonly #replica: Replica;
  /** The counts of each replica and client at the last read. */
  #seen = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(limiter: ClientLimiter, replica: Replica) {
    this.#limiter = limiter;
    this.#replica = replica;
    limiter.onAdmitted = () => this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#exchange()
        // While the store is unavailable, each process counts by itself.
        .catch(() => undefined)
        .finally(() => (this.#timer = undefined));
    }, PERIOD).unref();
  }

  async #exchange(): Promise<void> {
    const { store, id } = this.#replica;
    if (store === undefined) return;
    await this.#replica.join();
    const others = (await this.#replica.present()).filter((one) => one.id !== id);
    if (others.length === 0) return;
    const usage = this.#limiter.usage();
    const names = new Map([...usage.keys()].map((client) => [toName(client), client]));
    const most = [...usage].toSorted(([, a], [, b]) => b.admitted - a.admitted).slice(0, MAX_REPORTED);
    const report = Object.fromEntries(
      most.map(([client, { admitted, running }]) => [toName(client), [admitted, running]]),
    );
    await store.transaction((inside) => inside.space(SPACE).set(id, report, { ttl: TTL }), { durable: false });
    this.#count(await store.space(SPACE).entries(), names);
  }

  #count(
    entries: readonly { readonly key: string; readonly value: unknown }[],
    names: ReadonlyMap<string, string>,
  ): void {
    const sums = new Map<string, ClientUsage>();
    const seen = new Map<string, number>();
    for (const { key, value } of entries) {
      if (key === this.#replica.id || !isPlainObject(value)) continue;
      for (const [name, counts] of Object.entries(value)) {
        const client = names.get(name);
        const [admitted, running] = Array.isArray(counts) ? counts.map(Number) : [];
        if (client === undefined || admitted === undefined || running === undefined) continue;
        const before = this.#seen.get(`${key} ${name}`) ?? admitted;
        seen.set(`${key} ${name}`, admitted);
        const sum = sums.get(client) ?? { admitted: 0, running: 0 };
        sums.set(client, { admitted: sum.admitted + Math.max(0, admitted - before), running: sum.running + running });
      }
    }
    this.#seen = seen;
    for (const client of names.values())
      this.#limiter.countElsewhere(client, sums.get(client) ?? { admitted: 0, running: 0 });
  }
}

/** Returns the name of a client in the store, which does not reveal its address or name. */
function toName(client: string): string {
  return createHash('sha256').update(client).digest('base64url').slice(0, 22);
}
