import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isThenable } from '../../../tool/is-thenable.ts';
import { ERROR_CODES, type IncomingMessage as Message, RequestError } from '../../protocol/json-rpc.ts';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION } from '../../protocol/mcp-names.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import type { Caller } from '../caller.ts';
import type { Reply } from '../connection.ts';
import type { McpServer } from '../mcp-server.ts';
import type { HttpOptions } from './http-options.ts';
import { respondError } from './respond.ts';
import { ResponseStream } from './streams/response-stream.ts';
import { createSessionId, type HttpSession, HttpSessions } from './http-sessions.ts';
import { LOST_CALL } from './replicas/follow-stream.ts';
import { SharedSessions } from './replicas/shared-sessions.ts';
import { toStoredName } from '../../../platform/store/sealed-space.ts';

/** A request with its response and its sender. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  /** The caller, or the address if no token is needed; sessions are counted by it. */
  readonly owner: string;
  /** Checks the sender again; `undefined` if it has lost its access. */
  readonly recheck: () => Caller | undefined | Promise<Caller | undefined>;
  /** Returns true while access has not been decided anew since the request. */
  readonly isCurrent: () => boolean;
  /** Counts the request as running after its response is closed, until the returned function is called. */
  readonly hold?: (() => () => void) | undefined;
}

const MAX_SESSIONS = 1_000;
const SESSION_TTL = 30 * 60_000;
/** Longer ids are not ours. */
const MAX_ID = 100;

type Request = Message & { readonly type: 'request' };

/** Sessions over HTTP: clients perform a handshake, and their later requests belong to the session. */
export class SessionEndpoint {
  readonly #server: McpServer;
  readonly #sessions: HttpSessions;
  readonly shared: SharedSessions;
  /** Lookups of sessions of other processes. */
  readonly #arriving = new Map<string, Promise<HttpSession | undefined>>();
  #running = 0;
  #ttl: number;

  constructor(server: McpServer, { maxSessions = MAX_SESSIONS, sessionTtl = SESSION_TTL }: HttpOptions) {
    this.#server = server;
    this.#ttl = sessionTtl;
    this.shared = new SharedSessions({ server, sessions: () => this.#sessions, ttl: () => this.#ttl });
    this.#sessions = new HttpSessions({
      max: maxSessions,
      ttl: sessionTtl,
      share: (session) => this.shared.share(session),
      onUse: (session, isChanged) => this.shared.note(session, isChanged),
      onEnd: (session, why) => {
        const message = 'The session is over, and the call with it. Send initialize again.';
        session.connection.close(new RequestError(ERROR_CODES.internalError, message));
        session.streams.close();
        // A session that is idle here may be in use elsewhere: the store expires it.
        const isOver = why === 'ended' || (why === 'displaced' && session.isHome);
        if (isOver && this.shared.isActive) this.shared.end(session).catch(() => undefined);
      },
    });
  }

  update({ maxSessions = MAX_SESSIONS, sessionTtl = SESSION_TTL }: HttpOptions): void {
    this.#ttl = sessionTtl;
    this.#sessions.update({ max: maxSessions, ttl: sessionTtl });
  }

  get running(): number {
    return this.#running;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Ends the streams outside of requests; calls continue. */
  closeStreams(): void {
    for (const { streams } of this.#sessions.all()) streams.close();
    this.shared.closeStreams();
  }

  /** Removes the sessions here; other processes continue them. */
  close(): void {
    this.#sessions.close();
  }

  /** Handles a POST. */
  take(message: Exclude<Message, { readonly type: 'invalid' }>, visit: Visit): void {
    const { request, response } = visit;
    if (message.type === 'request' && message.method === 'initialize') return this.#open(message, visit);
    this.#withSession(visit, (session) => {
      const { accept } = request.headers;
      if (accept !== undefined && !/text\/event-stream|\*\/\*/.test(accept)) {
        // Questions to the client are events: without them a call would wait forever.
        respondError(response, 406, { message: 'Send the header Accept: application/json, text/event-stream.' });
        return;
      }
      if (message.type === 'request') this.#takeRequest(message, session, visit);
      else {
        this.shared.relay(message, session);
        void session.connection.handle(message, { send: () => {} });
        response.writeHead(202).end();
      }
    });
  }

  /** Handles a GET: opens the stream outside of requests, or resumes an interrupted one. */
  listen(visit: Visit): void {
    const { request, response } = visit;
    if (request.headers['mcp-session-id'] === undefined || request.headers['mcp-protocol-version'] === MODERN_VERSION) {
      respondError(response, 405, {
        message: 'GET opens the stream of a session; this request has none.',
        headers: { allow: 'POST' },
      });
      return;
    }
    this.#withSession(visit, (session) => {
      const { 'last-event-id': lastEvent } = request.headers;
      session.busy++;
      session.listening++;
      response.once('close', () => {
        session.busy--;
        session.listening--;
      });
      if (typeof lastEvent === 'string') this.#resume(session, lastEvent, response);
      else if (session.streams.isListening)
        respondError(response, 409, { message: 'This session has its stream open already.' });
      else this.#openListenStream(session, response);
    });
  }

  /** Handles a DELETE. */
  end(visit: Visit): void {
    this.#withSession(visit, (session) => {
      const { response } = visit;
      if (!this.shared.isActive) {
        this.#sessions.end(session);
        response.writeHead(204).end();
        return;
      }
      // The client may reach another process next: the session must be gone there too.
      this.shared.end(session).then(
        () => response.writeHead(204).end(),
        (error: unknown) => this.#explain(error, response),
      );
      this.#sessions.end(session, 'idle');
    });
  }

  #open(message: Request, { request, response, caller, owner, recheck }: Visit): void {
    const id = createSessionId();
    const connection = this.shared.isActive
      ? this.#server.connectSession(caller, toSharedName(id))
      : this.#server.connect(caller);
    const session = this.#sessions.create(connection, { id, owner, credential: credentialOf(request) });
    if (session === undefined) {
      connection.close();
      const headers = { 'retry-after': '30' };
      respondError(response, 503, { message: 'There are too many sessions. Try again later.', headers });
      return;
    }
    connection.recheck = recheck;
    connection.onRevoked = () => this.#revoke(session);
    const reply = connection.handle(message, { send: () => {} });
    if (this.shared.isActive) this.shared.equip(session);
    const finish = async (settled: Reply): Promise<void> => {
      const failed = typeof settled !== 'string';
      if (failed) this.#sessions.end(session);
      else if (this.shared.isActive) await this.shared.save(session);
      const headers = failed ? undefined : { 'mcp-session-id': session.id };
      new ResponseStream(response, { accept: request.headers.accept, isModern: false, headers }).end(settled);
    };
    if (isThenable(reply)) void reply.then(finish);
    else void finish(reply);
  }

  #takeRequest(message: Request, session: HttpSession, { request, response, hold }: Visit): void {
    const { connection, streams } = session;
    const { accept } = request.headers;
    const rights = connection.caller.access.key;
    const stream = new ResponseStream(response, { accept, isModern: false, streams, rights, request: message.id });
    session.busy++;
    this.#running++;
    const finish = (reply: Reply): void => {
      session.busy--;
      this.#running--;
      if (typeof reply === 'string') this.shared.keepChange(session, message).catch(() => undefined);
      stream.end(reply);
      if (connection.isRevoked && session.busy === 0) connection.close();
    };
    // Hanging up does not cancel a request of a session: the client sends a notification for that.
    const reply = connection.handle(message, { send: (text) => stream.send(text) });
    if (!isThenable(reply)) return finish(reply);
    const release = hold?.();
    void reply.then((settled) => {
      finish(settled);
      release?.();
    });
  }

  #openListenStream(session: HttpSession, response: ServerResponse): void {
    const { connection, streams } = session;
    const stream = streams.listen(response);
    // Clients of earlier revisions treat every event as a message.
    if (connection.version === LATEST_LEGACY_VERSION) stream.prime();
    connection.notify = (text) => stream.send(text);
    this.shared.listensHere(session);
  }

  #resume(session: HttpSession, eventId: string, response: ServerResponse): void {
    const { streams, connection } = session;
    if (streams.resume(eventId, { response, rights: connection.caller.access.key }) !== undefined) return;
    const refuse = (isLost = false): void => {
      const nothing = `There is nothing to go on with after Last-Event-ID "${eventId.slice(0, 40)}". Send the request again.`;
      respondError(response, 400, { message: isLost ? LOST_CALL : nothing });
    };
    if (!this.shared.isActive) return refuse();
    this.shared
      .resume(session, { eventId, response, listen: () => this.#openListenStream(session, response) })
      .then((outcome) => outcome === 'resumed' || refuse(outcome === 'lost'))
      .catch((error: unknown) => this.#explain(error, response));
  }

  /** Calls `use` with the request's session; answers a request without one. */
  #withSession(visit: Visit, use: (session: HttpSession) => void): void {
    const { request, response, caller, recheck } = visit;
    const { 'mcp-session-id': id, 'mcp-protocol-version': version } = request.headers;
    if (version !== undefined && !(typeof version === 'string' && LEGACY_VERSIONS.includes(version))) {
      const known = [MODERN_VERSION, ...LEGACY_VERSIONS].join(', ');
      return respondError(response, 400, {
        message: `MCP-Protocol-Version "${String(version)}" is not spoken here. Use one of: ${known}.`,
      });
    }
    if (typeof id !== 'string')
      return respondError(response, 400, { message: 'The header Mcp-Session-Id is missing. Send initialize first.' });
    const credential = credentialOf(request);
    const enter = (): boolean => {
      const session = this.#sessions.find(id, caller, credential);
      if (session === undefined) return false;
      session.connection.recheck = recheck;
      use(session);
      return true;
    };
    const refuse = (): void =>
      respondError(response, 404, {
        message: 'There is no such session (any more). Send initialize again.',
        code: ERROR_CODES.legacyNotFound,
      });
    if (enter()) return;
    if (this.#sessions.has(id) || !this.shared.isActive || id.length > MAX_ID) return refuse();
    this.#arrive(id, visit)
      .then(() => enter() || refuse())
      .catch((error: unknown) => this.#explain(error, response));
  }

  /** Loads a session that another process opened. Simultaneous requests share the lookup. */
  #arrive(id: string, visit: Visit): Promise<HttpSession | undefined> {
    const known = this.#arriving.get(id);
    if (known !== undefined) return known;
    const arriving = this.#lookUp(id, visit).finally(() => this.#arriving.delete(id));
    this.#arriving.set(id, arriving);
    return arriving;
  }

  async #lookUp(id: string, { request, caller, recheck }: Visit): Promise<HttpSession | undefined> {
    const credential = credentialOf(request);
    const row = await this.shared.find(id, caller, credential);
    if (row === undefined) return undefined;
    const connection = this.#server.connectSession(caller, toSharedName(id), row.state);
    const { owner } = row;
    const session = this.#sessions.create(connection, { id, owner, credential, isHome: false });
    if (session === undefined) {
      connection.close();
      return undefined;
    }
    session.savedAt = performance.now();
    connection.recheck = recheck;
    connection.onRevoked = () => this.#revoke(session);
    this.shared.equip(session);
    return session;
  }

  /** Answers a request that failed, for example because the store is unavailable. */
  #explain(error: unknown, response: ServerResponse): void {
    if (response.headersSent) return void response.destroy();
    const message = `The session cannot be looked up: ${messageOf(error)}`;
    respondError(response, 503, { message, headers: { 'retry-after': '5' } });
  }

  /** Ends the session of a client without access; its running calls finish. */
  #revoke(session: HttpSession): void {
    this.#sessions.forget(session);
    session.streams.close();
    if (session.busy === session.listening) session.connection.close();
  }
}

/** Returns the name of a session for its calls: equal at every process, and it grants nothing. */
function toSharedName(id: string): string {
  return `http-${toStoredName(id).slice(0, 22)}`;
}

/** Returns the hash of a request's credential; empty without one. */
function credentialOf({ headers: { authorization } }: IncomingMessage): string {
  return authorization === undefined ? '' : createHash('sha256').update(authorization).digest('base64url');
}
