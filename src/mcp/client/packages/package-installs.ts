import type { HeldLease } from '../../../platform/jobs/hold-lease.ts';
import type { PackageInstallation } from './install-package.ts';

/** The installations that a board runs: starts that want the same package share one, which outlives their patience. */
export class PackageInstalls {
  readonly #running = new Map<string, Promise<PackageInstallation>>();
  readonly #closing = new AbortController();

  /** Joins a running installation, or starts one. */
  run(key: string, install: (signal: AbortSignal) => Promise<PackageInstallation>): Promise<PackageInstallation> {
    let running = this.#running.get(key);
    if (running === undefined) {
      running = install(this.#closing.signal).finally(() => this.#running.delete(key));
      this.#running.set(key, running);
    }
    return running;
  }

  /** Ends all installations. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running.values());
  }
}

/** The parts of a board that install packages for its servers. */
export interface PackageHost {
  /** The board's data folder. */
  readonly data: string;
  readonly installs: PackageInstalls;
  /** Lets one process of the board at a time install a package; `undefined` while another does. */
  lease(name: string): Promise<Pick<HeldLease, 'release'> | undefined>;
}
