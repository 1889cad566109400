import { randomBytes } from 'node:crypto';
import type { Caller } from '../caller.ts';
import type { Connection } from '../connection.ts';
import { KeptStreams } from './kept-streams.ts';

/** A client of the older era, between its requests. */
export interface Session {
  readonly id: string;
  readonly connection: Connection;
  readonly streams: KeptStreams;
  /** Responses of this session that are not finished. */
  busy: number;
  lastUsed: number;
}

interface SessionsOptions {
  readonly max: number;
  readonly ttl: number;
  readonly now?: () => number;
  onEnd(session: Session): void;
}

/** The sessions of a server: unguessable, each for the caller who opened it, forgotten when unused. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #options: SessionsOptions;
  readonly #now: () => number;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#sweep = setInterval(() => this.expire(), Math.max(1_000, Math.min(options.ttl / 2, 60_000))).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  all(): Iterable<Session> {
    return this.#sessions.values();
  }

  /** Opens a session; `undefined` when there are too many. */
  create(connection: Connection): Session | undefined {
    if (this.#sessions.size >= this.#options.max) this.expire();
    if (this.#sessions.size >= this.#options.max) this.#makeRoom(connection.caller);
    if (this.#sessions.size >= this.#options.max) return undefined;
    const id = randomBytes(24).toString('base64url');
    const session = { id, connection, streams: new KeptStreams(), busy: 0, lastUsed: this.#now() };
    this.#sessions.set(session.id, session);
    return session;
  }

  /** The session with this id, for the caller who opened it and nobody else. */
  find(id: string, caller: Caller): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || !isSame(session.connection.caller, caller)) return undefined;
    session.lastUsed = this.#now();
    return session;
  }

  end(session: Session): void {
    if (this.#sessions.delete(session.id)) this.#options.onEnd(session);
  }

  /** Forgets the sessions that nobody has used for long. */
  expire(): void {
    const oldest = this.#now() - this.#options.ttl;
    for (const session of this.#sessions.values()) {
      if (session.lastUsed < oldest && session.busy === 0) this.end(session);
      else session.streams.expire();
    }
  }

  /** Ends the session that the caller with the most has left alone for longest: nobody keeps the others out. */
  #makeRoom({ id }: Caller): void {
    const owned = Map.groupBy(this.#sessions.values(), ({ connection }) => connection.caller.id);
    const [most = []] = [...owned.values()].toSorted((a, b) => b.length - a.length);
    if (most.length <= (owned.get(id)?.length ?? 0) + 1) return;
    const [oldest] = most.filter(({ busy }) => busy === 0).toSorted((a, b) => a.lastUsed - b.lastUsed);
    if (oldest !== undefined) this.end(oldest);
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const session of this.#sessions.values()) this.end(session);
  }
}

/** Whether two callers are one, with the same rights: a session keeps those it was opened with. */
function isSame(one: Caller, other: Caller): boolean {
  return one.id === other.id && one.access.key === other.access.key;
}
