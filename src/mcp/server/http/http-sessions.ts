import { randomBytes } from 'node:crypto';
import type { Caller } from '../caller.ts';
import type { Connection } from '../connection.ts';
import { KeptStreams } from './streams/kept-streams.ts';

/** A client of the older era, between its requests. */
export interface HttpSession {
  readonly id: string;
  readonly connection: Connection;
  readonly streams: KeptStreams;
  /** Whose it is, where sessions are counted: the caller, or the address where no token is needed. */
  readonly owner: string;
  /** Hash of the credential of the last request: it may have other rights after a reload. */
  credential: string;
  /** Responses of this session that are not finished. */
  busy: number;
  /** Those of them that only listen. */
  listening: number;
  lastUsed: number;
}

interface HttpSessionsOptions {
  readonly max: number;
  readonly ttl: number;
  readonly now?: () => number;
  onEnd(session: HttpSession): void;
}

/** Who opens a session. */
interface SessionOwner {
  readonly owner: string;
  readonly credential?: string;
}

/** The sessions of a server: unguessable, each for the caller who opened it, forgotten when unused. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();
  #options: HttpSessionsOptions;
  readonly #now: () => number;
  #sweep: NodeJS.Timeout;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#sweep = this.#startSweep();
  }

  get size(): number {
    return this.#sessions.size;
  }

  all(): Iterable<HttpSession> {
    return this.#sessions.values();
  }

  /** Changes the limits; open sessions stay. */
  update({ max, ttl }: Pick<HttpSessionsOptions, 'max' | 'ttl'>): void {
    this.#options = { ...this.#options, max, ttl };
    clearInterval(this.#sweep);
    this.#sweep = this.#startSweep();
  }

  /** Opens a session; `undefined` when there are too many, all of them in use. */
  create(connection: Connection, { owner, credential = '' }: SessionOwner): HttpSession | undefined {
    if (this.#sessions.size >= this.#options.max) this.expire();
    if (this.#sessions.size >= this.#options.max) this.#makeRoom(owner);
    if (this.#sessions.size >= this.#options.max) return undefined;
    const id = randomBytes(24).toString('base64url');
    const streams = new KeptStreams();
    const session = { id, connection, streams, owner, credential, busy: 0, listening: 0, lastUsed: this.#now() };
    this.#sessions.set(session.id, session);
    return session;
  }

  /**
   * The session with this id, for the caller who opened it and no other.
   *
   * It is for the same rights, or for the same credential: rights that a reload changed are the session's from then on.
   */
  find(id: string, caller: Caller, credential = ''): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    const { connection } = session;
    if (connection.caller.id !== caller.id) return undefined;
    const isSameCredential = credential !== '' && session.credential === credential;
    if (connection.caller.access.key !== caller.access.key && !isSameCredential) return undefined;
    connection.caller = caller;
    session.credential = credential;
    session.lastUsed = this.#now();
    return session;
  }

  /** Ends a session: what it has under way ends with it. */
  end(session: HttpSession): void {
    if (this.#sessions.delete(session.id)) this.#options.onEnd(session);
  }

  /** Takes a session away from its client. */
  forget(session: HttpSession): void {
    this.#sessions.delete(session.id);
  }

  /** Forgets sessions that were not used for `ttl` milliseconds. */
  expire(): void {
    const oldest = this.#now() - this.#options.ttl;
    for (const session of this.#sessions.values()) {
      if (session.lastUsed < oldest && session.busy === 0) this.end(session);
      else session.streams.expire();
    }
  }

  /**
   * Ends a session for the sake of a new one, so that no client keeps the others out.
   *
   * It is one of the owner with the most, or of this owner when no other has clearly more: the one left alone for longest,
   * or, when all are in use, the one that has only listened for longest.
   */
  #makeRoom(owner: string): void {
    const owned = Map.groupBy(this.#sessions.values(), (session) => session.owner);
    const own = owned.get(owner) ?? [];
    const [most = []] = [...owned.values()].toSorted((a, b) => b.length - a.length);
    const ended = most.length > own.length + 1 ? [...findLeastUsed(most), ...findLeastUsed(own)] : findLeastUsed(own);
    const [session] = ended;
    if (session !== undefined) this.end(session);
  }

  #startSweep(): NodeJS.Timeout {
    return setInterval(() => this.expire(), Math.max(1_000, Math.min(this.#options.ttl / 2, 60_000))).unref();
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const session of this.#sessions.values()) this.end(session);
  }
}

/** The session that was idle longest, else the one that has only listened longest. Never one with a running call. */
function findLeastUsed(sessions: readonly HttpSession[]): readonly HttpSession[] {
  const oldest = sessions.toSorted((a, b) => a.lastUsed - b.lastUsed);
  const found = oldest.find(({ busy }) => busy === 0) ?? oldest.find(({ busy, listening }) => busy === listening);
  return found === undefined ? [] : [found];
}
