import { setTimeout as wait } from 'node:timers/promises';

/** Parallel requests to one host. */
const AT_ONCE = 4;

interface Turn {
  running: number;
  readonly waiting: (() => void)[];
  /** The earliest time of the next request, if the host asks for a delay. */
  nextAt: number;
}

/** Limits the requests to each host and their rate, for all sources of a run. */
export class HostGate {
  readonly #hosts = new Map<string, Turn>();

  /** Runs work when the host may be contacted. */
  async run<T>(
    host: string,
    { delay, signal }: { delay: number; signal: AbortSignal | undefined },
    work: () => Promise<T>,
  ): Promise<T> {
    let turn = this.#hosts.get(host);
    if (turn === undefined) this.#hosts.set(host, (turn = { running: 0, waiting: [], nextAt: 0 }));
    const mine = turn;
    // Another request may have taken the slot meanwhile.
    while (mine.running >= (delay > 0 ? 1 : AT_ONCE)) await new Promise<void>((settle) => mine.waiting.push(settle));
    mine.running++;
    try {
      const pause = mine.nextAt - Date.now();
      if (delay > 0 && pause > 0) await wait(pause, undefined, signal === undefined ? {} : { signal });
      mine.nextAt = Date.now() + delay;
      return await work();
    } finally {
      mine.running--;
      mine.waiting.shift()?.();
    }
  }
}
