import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { BoardStore } from '../../../../platform/store/board-store.ts';
import { sealById, unsealById } from '../../../../platform/store/sealed-space.ts';
import { formatNotification, parseMessage } from '../../../protocol/json-rpc.ts';
import type { Caller } from '../../caller.ts';
import { applyConnectionState, type ConnectionState, readConnectionState } from '../../connection-state.ts';
import type { McpServer } from '../../mcp-server.ts';
import type { HttpSession, HttpSessions } from '../http-sessions.ts';
import { openEventStream, writeEvent } from '../respond.ts';
import { parseEventId, type StreamSharing } from '../streams/kept-streams.ts';
import { StreamFollowers } from './follow-stream.ts';
import { type Mail, Replica } from './replica.ts';
import { markCredential, type SessionRow, SessionRows } from './session-rows.ts';
import { StreamLog } from './stream-log.ts';

/** Milliseconds that a handshake waits for an unresponsive store before the session stays local. */
const PATIENCE = 2_000;
/** The process that asked, in the id of a question. */
const QUESTION = /^pegboard-([0-9a-f]{12})-\d+$/;
/** Methods that affect later requests of a session. */
const CHANGING = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

type Message = ReturnType<typeof parseMessage>;
type ChangingRequest = Pick<Message & { readonly type: 'request' }, 'method' | 'params'>;

interface SharedSessionsOptions {
  readonly server: McpServer;
  readonly sessions: () => HttpSessions;
  readonly ttl: () => number;
}

/** The sessions of a board that several processes serve: finds those that others opened, and forwards messages to them. */
export class SharedSessions {
  readonly replica: Replica;
  readonly #options: SharedSessionsOptions;
  readonly #rows: SessionRows;
  readonly #log: StreamLog;
  readonly #followers: StreamFollowers;

  constructor(options: SharedSessionsOptions) {
    this.#options = options;
    const store = (): BoardStore | undefined => options.server.board.store;
    this.replica = new Replica({ store, onMail: (mail) => this.#take(mail) });
    this.#rows = new SessionRows(() => this.replica.store);
    this.#log = new StreamLog(this.replica);
    this.#followers = new StreamFollowers(this.replica, this.#log);
  }

  get isActive(): boolean {
    return this.replica.store !== undefined;
  }

  /** Returns the writer of a session's streams for other processes. */
  share(session: string): StreamSharing | undefined {
    if (!this.isActive) return undefined;
    return { prefix: `${this.replica.id}.`, open: (place) => this.#log.open({ ...place, session }) };
  }

  /** Stores a new session for the others. If the store does not answer, the session stays local until it does. */
  async save(session: HttpSession): Promise<void> {
    if (!this.isActive) return;
    const saving = this.#save(session);
    saving.catch(() => undefined);
    const patience = new AbortController();
    const given = wait(PATIENCE, undefined, { signal: patience.signal, ref: false });
    await Promise.race([saving, given]).catch(() => undefined);
    patience.abort();
    await given.catch(() => undefined);
  }

  /** Finds the row of a session that this process does not know; `undefined` if it does not exist or belongs to another caller. */
  async find(id: string, caller: Caller, credential: string): Promise<SessionRow | undefined> {
    const row = await this.#rows.find(id);
    if (row === undefined || row.caller !== caller.id) return undefined;
    const isSameCredential = row.credential !== '' && row.credential === markCredential(id, credential);
    if (row.rights !== caller.access.key && !isSameCredential) return undefined;
    await this.replica.join();
    return row;
  }

  /** Prepares a session for sharing. */
  equip({ id, name, connection }: HttpSession): void {
    connection.questionMark = `${this.replica.id}-`;
    connection.forward = (text) => this.#broadcast({ type: 'notify', session: name, sealed: seal(id, text) });
  }

  /** Extends the life of a session's row while it is used. */
  note(session: HttpSession, isChanged: boolean): void {
    if (!this.isActive) return;
    const now = performance.now();
    const isOld = session.savedAt === undefined || now - session.savedAt > this.#options.ttl() / 4;
    if (!isOld && !isChanged) return;
    const wasSaved = session.savedAt !== undefined;
    session.savedAt = now;
    const write = wasSaved ? this.#change(session) : this.#save(session);
    write.catch(() => (session.savedAt = undefined));
  }

  /** Stores what a request of the session has changed, and notifies the others. */
  async keepChange(session: HttpSession, { method, params }: ChangingRequest): Promise<void> {
    if (!CHANGING.has(method) || !this.isActive) return;
    const uri = String(params?.['uri']);
    // Another process may have changed it too: writes only what this request changed.
    await this.#change(session, (state) => {
      const others = state.subscribed.filter((one) => one !== uri);
      if (method === 'resources/subscribe') return { ...state, subscribed: [...others, uri] };
      if (method === 'resources/unsubscribe') return { ...state, subscribed: others };
      return { ...state, logLevel: session.connection.logLevel };
    });
    await this.replica.broadcast({ type: 'changed', session: session.name });
  }

  /** Forwards a message to the processes that may need it. */
  relay(message: Message, { id, name, connection }: HttpSession): void {
    if (!this.isActive) return;
    const mail = (): Mail => ({ type: 'message', session: name, sealed: seal(id, JSON.stringify(toWire(message))) });
    if (message.type === 'result' || message.type === 'error') {
      const [, asker] = QUESTION.exec(String(message.id)) ?? [];
      if (asker !== undefined && asker !== this.replica.id) this.replica.send(asker, mail()).catch(() => undefined);
    } else if (message.type === 'notification') {
      if (message.method === 'notifications/roots/list_changed') return this.#broadcast(mail());
      if (message.method !== 'notifications/cancelled') return;
      const requestId = message.params?.['requestId'];
      const isHere =
        (typeof requestId === 'string' || typeof requestId === 'number') && connection.isRunning(requestId);
      if (!isHere) this.#broadcast(mail());
    }
  }

  async end({ id, name }: HttpSession): Promise<void> {
    await this.#rows.delete(id);
    await this.replica.broadcast({ type: 'ended', session: name });
  }

  /** Notifies the others that the client listens here. */
  listensHere({ name }: HttpSession): void {
    if (this.isActive) this.#broadcast({ type: 'listening', session: name });
  }

  /**
   * Resumes a stream that another process began: `unknown` if it does not exist, `lost` if its process ended before it was stored.
   *
   * `listen` opens the stream outside of requests here, after the missed events.
   */
  async resume(
    session: HttpSession,
    {
      eventId,
      response,
      listen,
    }: { readonly eventId: string; readonly response: ServerResponse; readonly listen: () => void },
  ): Promise<'resumed' | 'unknown' | 'lost'> {
    const place = parseEventId(eventId);
    if (place === undefined || !this.isActive) return 'unknown';
    const { name, number, isOfRequest } = place;
    const [replica = '', rest] = name.split('.');
    if (rest === undefined) return 'unknown';
    const stream = { session: session.id, name };
    const row = isOfRequest ? await this.#followers.find(stream, replica) : await this.#log.find(stream);
    if (!isOfRequest) {
      const missed = row === undefined ? [] : await this.#log.read(stream, 0, row.parts);
      const isThere = await this.replica.isThere(replica);
      openEventStream(response);
      for (const event of missed)
        if (event.number > number) writeEvent(response, event.text, `${name}-${event.number}`);
      listen();
      if (isThere) return 'resumed';
      // No process watched for this client since then.
      for (const list of ['tools', 'prompts', 'resources'])
        session.connection.notify?.(formatNotification(`notifications/${list}/list_changed`));
      return 'resumed';
    }
    if (row === undefined) return (await this.replica.isThere(replica)) ? 'unknown' : 'lost';
    if (row.rights !== session.connection.caller.access.key) return 'unknown';
    void this.#followers.follow(row, { ...stream, after: number, response });
    return 'resumed';
  }

  /** Ends streams of other processes that clients read here. */
  closeStreams(): void {
    this.#followers.close();
  }

  /** Stores the rest and leaves the replicas. */
  async close(): Promise<void> {
    if (this.isActive) await this.#log.flush();
    await this.replica.close();
  }

  async #save(session: HttpSession): Promise<void> {
    await this.replica.join();
    await this.#rows.save(session.id, toRow(session), this.#options.ttl());
    session.savedAt = performance.now();
  }

  async #change(
    session: HttpSession,
    change: (state: ConnectionState) => ConnectionState = (state) => state,
  ): Promise<void> {
    const apply = ({ state }: SessionRow): SessionRow => ({ ...toRow(session), state: change(state) });
    const isThere = await this.#rows.change(session.id, apply, this.#options.ttl());
    // Another process ended it.
    if (!isThere) this.#options.sessions().end(session, 'idle');
  }

  #broadcast(mail: Mail): void {
    // Without the store, the others cannot be notified.
    this.replica.broadcast(mail).catch(() => undefined);
  }

  /** Handles mail of another process, if it names a session that is known here. */
  #take(mail: Mail): void {
    if (mail.type === 'events') return this.#followers.wake(String(mail['stream']));
    const sessions = this.#options.sessions();
    const session = sessions.findByName(String(mail['session']));
    if (session === undefined) return;
    const { connection, streams } = session;
    switch (mail.type) {
      case 'message': {
        const text = unseal(session.id, mail['sealed']);
        if (text !== undefined) void connection.handle(parseMessage(text), { send: () => {} });
        return;
      }
      case 'notify': {
        const text = unseal(session.id, mail['sealed']);
        if (text !== undefined && streams.isListening) connection.notify?.(text);
        return;
      }
      case 'changed':
        void this.#reread(session).catch(() => undefined);
        return;
      case 'listening':
        connection.notify = undefined;
        return streams.close();
      case 'follow': {
        const name = String(mail['name']);
        streams.detach(name);
        return this.#log.follow({ session: session.id, name }, String(mail['by']));
      }
      case 'ended':
        return sessions.end(session, 'idle');
      default:
        // From a version that this one does not know.
        return;
    }
  }

  async #reread({ id, connection }: HttpSession): Promise<void> {
    const row = await this.#rows.find(id);
    if (row !== undefined) applyConnectionState(connection, row.state);
  }
}

function toRow({ id, credential, owner, connection }: HttpSession): SessionRow {
  return {
    caller: connection.caller.id,
    rights: connection.caller.access.key,
    credential: markCredential(id, credential),
    owner,
    state: readConnectionState(connection),
  };
}

function toWire(message: Message): object {
  switch (message.type) {
    case 'result':
      return { jsonrpc: '2.0', id: message.id, result: message.result };
    case 'error':
      return { jsonrpc: '2.0', id: message.id, error: message.error };
    case 'notification':
      return { jsonrpc: '2.0', method: message.method, params: message.params };
    default:
      return {};
  }
}

function seal(id: string, text: string): string {
  return sealById(id, Buffer.from(text)).toString('base64');
}

function unseal(id: string, sealed: unknown): string | undefined {
  return typeof sealed === 'string' ? unsealById(id, Buffer.from(sealed, 'base64'))?.toString('utf8') : undefined;
}
