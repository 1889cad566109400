import { randomBytes } from 'node:crypto';
import { quickHash } from '../../tool/texts/quick-hash.ts';
import type { ManifestCache } from './offers/manifest-cache.ts';
import type { ServerSettings } from './server-settings.ts';
import { isObject } from './transports/transport.ts';

/** A failed start of a server. Times are milliseconds since 1970. */
export interface StartFailure {
  readonly message: string;
  /** Failures in a row, not counting attempts of people or calls before `retryAt`. */
  readonly count: number;
  readonly at: number;
  /** When the board tries again by itself. */
  readonly retryAt: number;
}

interface StartFailuresOptions {
  readonly settings: ServerSettings;
  readonly cache: ManifestCache;
  /** The server's settings, in the cache. */
  readonly key: string;
  /** Removes the board's secrets from a text. */
  readonly redact: (text: string) => string;
  readonly now?: () => number;
}

const FIRST_DELAY = 60_000;
const LONGEST_DELAY = 3_600_000;
const MAX_MESSAGE = 4000;

/**
 * Records failed starts, also between runs: a board waits a minute before the next attempt, then twice as long after each failure, an
 * hour at most. Failures with other settings or another environment do not count.
 */
export class StartFailures {
  readonly #options: StartFailuresOptions;
  readonly #now: () => number;
  #last: StartFailure | undefined;

  constructor(options: StartFailuresOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const { settings, cache, key } = options;
    this.#last = this.#parse(cache.readFailure(settings.name, key));
  }

  /** The last failure; `undefined` if the server worked since. */
  get last(): StartFailure | undefined {
    return this.#last;
  }

  /** Milliseconds until the board may try again by itself. */
  get delay(): number {
    return this.#last === undefined ? 0 : Math.max(0, this.#last.retryAt - this.#now());
  }

  failed(message: string): StartFailure {
    const { settings, cache, key, redact } = this.#options;
    const at = this.#now();
    const before = this.#last?.count ?? 0;
    const count = this.delay > 0 ? before : before + 1;
    const text = redact(message).slice(0, MAX_MESSAGE);
    const salt = randomBytes(8).toString('hex');
    cache.writeFailure(settings.name, key, { message: text, count, at, salt, mark: this.#mark(salt) });
    return (this.#last = { message: text, count, at, retryAt: at + delayAfter(count) });
  }

  worked(): void {
    this.#last = undefined;
    const { settings, cache, key } = this.#options;
    cache.writeFailure(settings.name, key, undefined);
  }

  #parse(value: unknown): StartFailure | undefined {
    if (!isObject(value)) return undefined;
    const { message, count, at, salt, mark } = value;
    if (typeof message !== 'string' || typeof count !== 'number' || typeof at !== 'number') return undefined;
    if (mark !== this.#mark(String(salt))) return undefined;
    // A clock that was set back must not cause a long wait.
    const since = Math.min(at, this.#now());
    return { message, count, at: since, retryAt: since + delayAfter(count) };
  }

  /** Distinguishes settings, including values of variables and headers. Too short to guess a secret. */
  #mark(salt: string): string {
    const { settings } = this.#options;
    const text = JSON.stringify([salt, { ...settings, idle: String(settings.idle) }]);
    return quickHash(text).slice(0, 2);
  }
}

function delayAfter(count: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.max(0, count - 1));
}
