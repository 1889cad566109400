import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Caller } from '../caller.ts';
import type { Connection } from '../connection.ts';
import { KeptStreams, type StreamSharing } from './streams/kept-streams.ts';
import { toStoredName } from '../../../platform/store/sealed-space.ts';

/** A client with a handshake, between its requests. */
export interface HttpSession {
  readonly id: string;
  /** Its name in other processes of the board, which does not reveal the id. */
  readonly name: string;
  /** True when this process opened it. */
  readonly isHome: boolean;
  readonly connection: Connection;
  readonly streams: KeptStreams;
  /** The caller, or the address if no token is needed; sessions are counted by it. */
  readonly owner: string;
  /** Hash of the credential of the last request: its rights may have changed with a reload. */
  credential: string;
  /** Unfinished responses of this session. */
  busy: number;
  /** Unfinished responses that only listen. */
  listening: number;
  lastUsed: number;
  /** When the board's store last received it; `undefined` if never. */
  savedAt: number | undefined;
}

/** The reason: its client or its caller's rights ended it, it was idle, another took its place, or the server stops. */
type SessionEnd = 'ended' | 'idle' | 'displaced' | 'closed';

interface HttpSessionsOptions {
  readonly max: number;
  readonly ttl: number;
  readonly now?: () => number;
  /** Returns the writer of a session's streams for other processes. */
  readonly share?: (session: string) => StreamSharing | undefined;
  /** Called with each use; `isChanged` if the caller's rights or credential changed. */
  readonly onUse?: (session: HttpSession, isChanged: boolean) => void;
  onEnd(session: HttpSession, why: SessionEnd): void;
}

export function createSessionId(): string {
  return randomBytes(24).toString('base64url');
}

interface SessionOwner {
  readonly owner: string;
  readonly credential?: string;
  /** The id of a session that another process opened. Default: a new one. */
  readonly id?: string;
  readonly isHome?: boolean;
}

/** The sessions of a server: with unguessable ids, each for the caller who opened it, removed when unused. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();
  readonly #byName = new Map<string, HttpSession>();
  #options: HttpSessionsOptions;
  readonly #now: () => number;
  #sweep: NodeJS.Timeout;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#sweep = this.#startSweep();
  }

  get size(): number {
    return this.#sessions.size;
  }

  all(): Iterable<HttpSession> {
    return this.#sessions.values();
  }

  update({ max, ttl }: Pick<HttpSessionsOptions, 'max' | 'ttl'>): void {
    this.#options = { ...this.#options, max, ttl };
    clearInterval(this.#sweep);
    this.#sweep = this.#startSweep();
  }

  /** Opens a session; `undefined` if there are too many and all are in use. */
  create(connection: Connection, opened: SessionOwner): HttpSession | undefined {
    const { owner, credential = '', id = createSessionId(), isHome = true } = opened;
    if (this.#sessions.size >= this.#options.max) this.expire();
    if (this.#sessions.size >= this.#options.max) this.#makeRoom(owner);
    if (this.#sessions.size >= this.#options.max) return undefined;
    const streams = new KeptStreams(this.#options.share?.(id));
    const name = toStoredName(id);
    const use = { busy: 0, listening: 0, lastUsed: this.#now(), savedAt: undefined };
    const session: HttpSession = { id, name, isHome, connection, streams, owner, credential, ...use };
    this.#sessions.set(session.id, session);
    this.#byName.set(session.name, session);
    return session;
  }

  /** Finds a session by its name in other processes. */
  findByName(name: string): HttpSession | undefined {
    return this.#byName.get(name);
  }

  /** Returns true when this process knows the id, whoever owns the session. */
  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  /**
   * Returns the session with this id, only for the caller who opened it.
   *
   * The request must have the same rights or the same credential: after a reload the session takes over changed rights.
   */
  find(id: string, caller: Caller, credential = ''): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    const { connection } = session;
    if (connection.caller.id !== caller.id) return undefined;
    const isSameCredential = credential !== '' && session.credential === credential;
    const isSameRights = connection.caller.access.key === caller.access.key;
    if (!isSameRights && !isSameCredential) return undefined;
    const isChanged = !isSameRights || session.credential !== credential;
    connection.caller = caller;
    session.credential = credential;
    session.lastUsed = this.#now();
    this.#options.onUse?.(session, isChanged);
    return session;
  }

  /** Ends a session with everything in progress. */
  end(session: HttpSession, why: SessionEnd = 'ended'): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#byName.delete(session.name);
    this.#options.onEnd(session, why);
  }

  /** Removes a session without ending its calls. */
  forget(session: HttpSession): void {
    this.#sessions.delete(session.id);
    this.#byName.delete(session.name);
  }

  /** Removes sessions that were unused for `ttl` milliseconds. */
  expire(): void {
    const oldest = this.#now() - this.#options.ttl;
    for (const session of this.#sessions.values()) {
      if (session.lastUsed < oldest && session.busy === 0) this.end(session, 'idle');
      else session.streams.expire();
    }
  }

  /**
   * Ends a session to make room for a new one, so that no client keeps the others out: one of the owner with the most sessions, or of
   * this owner if no other has clearly more.
   */
  #makeRoom(owner: string): void {
    const owned = Map.groupBy(this.#sessions.values(), (session) => session.owner);
    const own = owned.get(owner) ?? [];
    const [most = []] = [...owned.values()].toSorted((a, b) => b.length - a.length);
    const ended = most.length > own.length + 1 ? [...findLeastUsed(most), ...findLeastUsed(own)] : findLeastUsed(own);
    const [session] = ended;
    if (session !== undefined) this.end(session, 'displaced');
  }

  #startSweep(): NodeJS.Timeout {
    return setInterval(() => this.expire(), Math.max(1_000, Math.min(this.#options.ttl / 2, 60_000))).unref();
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const session of this.#sessions.values()) this.end(session, 'closed');
  }
}

/** Returns the session that was idle longest, otherwise the one that only listened longest. Never one with a running call. */
function findLeastUsed(sessions: readonly HttpSession[]): readonly HttpSession[] {
  const oldest = sessions.toSorted((a, b) => a.lastUsed - b.lastUsed);
  const found = oldest.find(({ busy }) => busy === 0) ?? oldest.find(({ busy, listening }) => busy === listening);
  return found === undefined ? [] : [found];
}

const socketIds = new WeakMap<Socket, string>();
let socketCount = 0;

/** Distinguishes clients of stateless requests: by the caller's id, or by the socket if no token is needed. */
export function toSessionId({ id }: Caller, socket: Socket, replica: string): string {
  if (id !== '') return id;
  const sessionId = socketIds.get(socket) ?? `socket-${replica}-${++socketCount}`;
  socketIds.set(socket, sessionId);
  return sessionId;
}
