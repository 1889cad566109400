import { setTimeout as wait } from 'node:timers/promises';

/** Requests to one host at a time. */
const AT_ONCE = 4;

interface Turn {
  running: number;
  readonly waiting: (() => void)[];
  /** When the next request may begin, where the host asks for a pause. */
  nextAt: number;
}

/** Keeps the requests to a host few, and as far apart as the host asks, for all sources of a run. */
export class HostGate {
  readonly #hosts = new Map<string, Turn>();

  /** Does the work when it is its turn. */
  async run<T>(
    host: string,
    { delay, signal }: { delay: number; signal: AbortSignal | undefined },
    work: () => Promise<T>,
  ): Promise<T> {
    let turn = this.#hosts.get(host);
    if (turn === undefined) this.#hosts.set(host, (turn = { running: 0, waiting: [], nextAt: 0 }));
    const mine = turn;
    // Another may have come first in the meantime.
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
