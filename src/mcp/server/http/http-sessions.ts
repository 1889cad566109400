import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Caller } from '../caller.ts';
import type { Connection } from '../connection.ts';
import { KeptStreams, type StreamSharing } from './streams/kept-streams.ts';
import { toStoredName } from '../../../platform/store/seal-by-id.ts';

/** A client of the older era, between its requests. */
export interface HttpSession {
  readonly id: string;
  /** Its name in other processes of the board, which does not reveal the id. */
  readonly name: string;
  /** True when it was opened here. */
  readonly isHome: boolean;
  readonly connection: Connection;
  readonly streams: KeptStreams;
  /** Its owner, where sessions are counted: the caller, or the address where no token is needed. */
  readonly owner: string;
  /** Hash of the credential of the last request: it may have other rights after a reload. */
  credential: string;
  /** Responses of this session that are not finished. */
  busy: number;
  /** Those of them that only listen. */
  listening: number;
  lastUsed: number;
  /** When the board's store was told of it; `undefined` while it was not. */
  savedAt: number | undefined;
}

/** Why a session ends here: its client or its caller's rights ended it, it was idle, another took its place, or the server stops. */
type SessionEnd = 'ended' | 'idle' | 'displaced' | 'closed';

interface HttpSessionsOptions {
  readonly max: number;
  readonly ttl: number;
  /** Milliseconds by a clock that does not jump. */
  readonly now?: () => number;
  /** Returns the sharing of a session's streams with other processes. */
  readonly share?: (session: string) => StreamSharing | undefined;
  /** Called with each use; tells whether the caller's rights or credential are others than before. */
  readonly onUse?: (session: HttpSession, isChanged: boolean) => void;
  onEnd(session: HttpSession, why: SessionEnd): void;
}

/** Makes ids that cannot be guessed. */
export function createSessionId(): string {
  return randomBytes(24).toString('base64url');
}

/** The opener of a session. */
interface SessionOwner {
  readonly owner: string;
  readonly credential?: string;
  /** The id of a session that another process opened. Default: a new one. */
  readonly id?: string;
  readonly isHome?: boolean;
}

/** The sessions of a server: unguessable, each for the caller who opened it, forgotten when unused. */
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

  /** Changes the limits; open sessions stay. */
  update({ max, ttl }: Pick<HttpSessionsOptions, 'max' | 'ttl'>): void {
    this.#options = { ...this.#options, max, ttl };
    clearInterval(this.#sweep);
    this.#sweep = this.#startSweep();
  }

  /** Opens a session; `undefined` when there are too many, all of them in use. */
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

  /** The session that other processes mean by a name. */
  findByName(name: string): HttpSession | undefined {
    return this.#byName.get(name);
  }

  /** Returns true when a session with this id is known here, whoever it is for. */
  has(id: string): boolean {
    return this.#sessions.has(id);
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
    const isSameRights = connection.caller.access.key === caller.access.key;
    if (!isSameRights && !isSameCredential) return undefined;
    const isChanged = !isSameRights || session.credential !== credential;
    connection.caller = caller;
    session.credential = credential;
    session.lastUsed = this.#now();
    this.#options.onUse?.(session, isChanged);
    return session;
  }

  /** Ends a session: what it has under way ends with it. */
  end(session: HttpSession, why: SessionEnd = 'ended'): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#byName.delete(session.name);
    this.#options.onEnd(session, why);
  }

  /** Takes a session away from its client. */
  forget(session: HttpSession): void {
    this.#sessions.delete(session.id);
    this.#byName.delete(session.name);
  }

  /** Forgets sessions that were not used for `ttl` milliseconds. */
  expire(): void {
    const oldest = this.#now() - this.#options.ttl;
    for (const session of this.#sessions.values()) {
      if (session.lastUsed < oldest && session.busy === 0) this.end(session, 'idle');
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

/** The session that was idle longest, else the one that has only listened longest. Never one with a running call. */
function findLeastUsed(sessions: readonly HttpSession[]): readonly HttpSession[] {
  const oldest = sessions.toSorted((a, b) => a.lastUsed - b.lastUsed);
  const found = oldest.find(({ busy }) => busy === 0) ?? oldest.find(({ busy, listening }) => busy === listening);
  return found === undefined ? [] : [found];
}

const socketIds = new WeakMap<Socket, string>();
let socketCount = 0;

/** Tells clients of stateless requests apart: by the caller's id, or by the socket where no token is needed. */
export function toSessionId({ id }: Caller, socket: Socket, replica: string): string {
  if (id !== '') return id;
  const sessionId = socketIds.get(socket) ?? `socket-${replica}-${++socketCount}`;
  socketIds.set(socket, sessionId);
  return sessionId;
}
