import { PRESENCE_CHANNEL, type PresentReplica, type Replica } from './replica.ts';

/** Milliseconds for other replicas to read changed files before a warning. */
const SETTLING = 5_000;
/** Milliseconds before an unavailable store is tried again. */
const RETRY = 5_000;

interface Served {
  readonly version: string;
  readonly digest: string;
}

interface ServedFilesOptions {
  readonly replica: Replica;
  readonly log: (text: string) => void;
  /** Called when others serve other files: the files of this process may have changed unnoticed. */
  readonly onOther: () => void;
  /** Milliseconds for others to read changed files. Default: 5,000. */
  readonly settling?: number;
}

/** Compares the files of this process with those of the other replicas. */
export class ServedFiles {
  readonly #options: ServedFilesOptions;
  #served: Served | undefined;
  #others: readonly PresentReplica[] = [];
  #reported = '';
  #stopWatching: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ServedFilesOptions) {
    this.#options = options;
  }

  /** A warning about other replicas; `undefined` if all serve the same files. */
  get warning(): string | undefined {
    const count = this.#others.length;
    if (count === 0) return undefined;
    return `${count === 1 ? '1 replica serves' : `${count} replicas serve`} other files than this one`;
  }

  /** Sets what this process serves, and announces it. */
  update(served: Served): void {
    const isSame = JSON.stringify(served) === JSON.stringify(this.#served);
    this.#served = served;
    if (isSame) return;
    this.#options.replica.describe(served).then(
      () => this.#compare(),
      () => undefined,
    );
  }

  /** Joins the replicas; tries again if the store is unavailable. */
  join(): void {
    this.#options.replica.join().catch(() => {
      if (!this.#isClosed) this.#timer = setTimeout(() => this.join(), RETRY).unref();
    });
  }

  /** Begins to compare, after joining. */
  watch(): void {
    this.#stopWatching ??= this.#options.replica.store?.watch(PRESENCE_CHANNEL, () => void this.#compare());
    void this.#compare();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWatching?.();
    clearTimeout(this.#timer);
  }

  async #compare(isSettled = false): Promise<void> {
    const { replica, log, onOther } = this.#options;
    const digest = this.#served?.digest;
    if (this.#isClosed || digest === undefined) return;
    const present = await replica.present().catch(() => undefined);
    if (present === undefined) return;
    const others = present.filter((one) => one.id !== replica.id && one.digest !== '' && one.digest !== digest);
    if (others.length === 0 || isSettled) this.#others = others;
    if (others.length === 0) {
      if (this.#reported !== '') log('all replicas serve the same files again');
      this.#reported = '';
      return;
    }
    if (!isSettled) {
      onOther();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#compare(true), this.#options.settling ?? SETTLING).unref();
      return;
    }
    const reported = others.map(({ id, digest: theirs }) => `${id} ${theirs}`).join();
    const places = others.map(({ id, host, pid }) => `${id} on ${host} (process ${pid})`);
    if (reported !== this.#reported)
      log(`warning: ${this.warning}: ${places.join(', ')}. Give all replicas the same files, or reload them.`);
    this.#reported = reported;
  }
}
