import { randomBytes } from 'node:crypto';
import { quickHash } from '../../tool/texts/quick-hash.ts';
import type { ManifestCache } from './offers/manifest-cache.ts';
import type { ServerSettings } from './server-settings.ts';
import { isObject } from './transports/transport.ts';

/** A server that did not start, or did not say what it offers. Times are milliseconds since 1970. */
export interface StartFailure {
  /** Why, without secrets. */
  readonly message: string;
  /** Failures in a row, not counting attempts that a person or a call wanted before `retryAt`. */
  readonly count: number;
  readonly at: number;
  /** When the board tries again by itself. */
  readonly retryAt: number;
}

interface StartFailuresOptions {
  readonly settings: ServerSettings;
  readonly cache: ManifestCache;
  /** Names what starts the server, in the cache. */
  readonly key: string;
  /** Takes the board's secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly now?: () => number;
}

const FIRST_DELAY = 60_000;
const LONGEST_DELAY = 3_600_000;
const MAX_MESSAGE = 4000;

/**
 * Remembers, between runs too, that a server does not start: boards do not try it again before a minute is over, then twice as
 * long after each further failure, an hour at most. A failure with other settings or another environment does not count.
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

  /** The last failure; none when the server worked since. */
  get last(): StartFailure | undefined {
    return this.#last;
  }

  /** Milliseconds until the board may try again by itself; 0 for now. */
  get delay(): number {
    return this.#last === undefined ? 0 : Math.max(0, this.#last.retryAt - this.#now());
  }

  /** Remembers a failure. */
  failed(message: string): StartFailure {
    const { settings, cache, key, redact } = this.#options;
    const at = this.#now();
    const before = this.#last?.count ?? 0;
    const count = this.delay > 0 ? before : before + 1;
    const told = redact(message).slice(0, MAX_MESSAGE);
    const salt = randomBytes(8).toString('hex');
    cache.writeFailure(settings.name, key, { message: told, count, at, salt, mark: this.#mark(salt) });
    return (this.#last = { message: told, count, at, retryAt: at + delayAfter(count) });
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
    // A clock that was set back must not make the server wait for long.
    const since = Math.min(at, this.#now());
    return { message, count, at: since, retryAt: since + delayAfter(count) };
  }

  /** Tells other settings apart, values of variables and headers included. Too short to guess a secret by it. */
  #mark(salt: string): string {
    const { settings } = this.#options;
    const text = JSON.stringify([salt, { ...settings, idle: String(settings.idle) }]);
    return quickHash(text).slice(0, 2);
  }
}

function delayAfter(count: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.max(0, count - 1));
}
