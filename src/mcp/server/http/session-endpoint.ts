import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isThenable } from '../../../tool/is-thenable.ts';
import { ERROR_CODES, type IncomingMessage as Message, RequestError } from '../../protocol/json-rpc.ts';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION } from '../../protocol/versions.ts';
import type { Caller } from '../caller.ts';
import type { McpServer, Reply } from '../mcp-server.ts';
import type { HttpOptions } from './http-options.ts';
import type { KeptStream } from './streams/kept-stream.ts';
import { respondError } from './respond.ts';
import { ResponseStream } from './streams/response-stream.ts';
import { type HttpSession, HttpSessions } from './http-sessions.ts';

/** A request, with the way back and who sent it. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  /** Whose request it is where sessions are counted: the caller, or the address where no token is needed. */
  readonly owner: string;
  /** Checks its sender again; `undefined` when it has no access any more. */
  readonly recheck: () => Caller | undefined | Promise<Caller | undefined>;
  /** Whether nothing was decided anew since the request was let in. */
  readonly isCurrent: () => boolean;
  /** Keeps counting the request as running after its response is closed; the function that it returns ends that. */
  readonly hold?: (() => () => void) | undefined;
}

const MAX_SESSIONS = 1_000;
const SESSION_TTL = 30 * 60_000;

type Request = Message & { readonly type: 'request' };

/** The older era over HTTP: clients shake hands, and what they send after that belongs to their session. */
export class SessionEndpoint {
  readonly #server: McpServer;
  readonly #sessions: HttpSessions;
  #running = 0;

  constructor(server: McpServer, { maxSessions = MAX_SESSIONS, sessionTtl = SESSION_TTL }: HttpOptions) {
    this.#server = server;
    this.#sessions = new HttpSessions({
      max: maxSessions,
      ttl: sessionTtl,
      onEnd: ({ connection, streams }) => {
        const message = 'The session is over, and the call with it. Send initialize again.';
        server.disconnect(connection, new RequestError(ERROR_CODES.internalError, message));
        streams.close();
      },
    });
  }

  /** Takes up other limits. */
  update({ maxSessions = MAX_SESSIONS, sessionTtl = SESSION_TTL }: HttpOptions): void {
    this.#sessions.update({ max: maxSessions, ttl: sessionTtl });
  }

  /** Requests under way. */
  get running(): number {
    return this.#running;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Ends the streams that belong to no request; calls go on. */
  closeStreams(): void {
    for (const { streams } of this.#sessions.all()) streams.close();
  }

  close(): void {
    this.#sessions.close();
  }

  /** Takes a POST. */
  take(message: Exclude<Message, { readonly type: 'invalid' }>, visit: Visit): void {
    const { request, response } = visit;
    if (message.type === 'request' && message.method === 'initialize') return this.#open(message, visit);
    const session = this.#find(visit);
    if (session === undefined) return;
    const { accept } = request.headers;
    if (accept !== undefined && !/text\/event-stream|\*\/\*/.test(accept)) {
      // Questions to the client travel as events: without them a call would wait for ever.
      respondError(response, 406, { message: 'Send the header Accept: application/json, text/event-stream.' });
      return;
    }
    if (message.type === 'request') this.#takeRequest(message, session, visit);
    else {
      void this.#server.handle(message, { connection: session.connection, send: () => {} });
      response.writeHead(202).end();
    }
  }

  /** Takes a GET: a stream for what belongs to no request, or the rest of one that broke off. */
  listen(visit: Visit): void {
    const { request, response } = visit;
    if (request.headers['mcp-session-id'] === undefined || request.headers['mcp-protocol-version'] === MODERN_VERSION) {
      respondError(response, 405, {
        message: 'GET opens the stream of a session; this request has none.',
        headers: { allow: 'POST' },
      });
      return;
    }
    const session = this.#find(visit);
    if (session === undefined) return;
    const { 'last-event-id': lastEvent } = request.headers;
    const stream =
      typeof lastEvent === 'string'
        ? this.#resume(session, lastEvent, response)
        : this.#openListenStream(session, response);
    if (stream === undefined) return;
    session.busy++;
    session.listening++;
    response.once('close', () => {
      session.busy--;
      session.listening--;
    });
  }

  /** Takes a DELETE. */
  end(visit: Visit): void {
    const session = this.#find(visit);
    if (session === undefined) return;
    this.#sessions.end(session);
    visit.response.writeHead(204).end();
  }

  #open(message: Request, { request, response, caller, owner, recheck }: Visit): void {
    const connection = this.#server.connect(caller);
    const session = this.#sessions.create(connection, { owner, credential: credentialOf(request) });
    if (session === undefined) {
      this.#server.disconnect(connection);
      const headers = { 'retry-after': '30' };
      respondError(response, 503, { message: 'There are too many sessions. Try again later.', headers });
      return;
    }
    connection.recheck = recheck;
    connection.onRevoked = () => this.#revoke(session);
    const reply = this.#server.handle(message, { connection, send: () => {} });
    const finish = (settled: Reply): void => {
      const failed = typeof settled !== 'string';
      if (failed) this.#sessions.end(session);
      const headers = failed ? undefined : { 'mcp-session-id': session.id };
      new ResponseStream(response, { accept: request.headers.accept, isModern: false, headers }).end(settled);
    };
    if (isThenable(reply)) void reply.then(finish);
    else finish(reply);
  }

  #takeRequest(message: Request, session: HttpSession, { request, response, hold }: Visit): void {
    const { connection, streams } = session;
    const { accept } = request.headers;
    const rights = connection.caller.access.key;
    const stream = new ResponseStream(response, { accept, isModern: false, streams, rights });
    session.busy++;
    this.#running++;
    const finish = (reply: Reply): void => {
      session.busy--;
      this.#running--;
      stream.end(reply);
      if (connection.isRevoked && session.busy === 0) this.#server.disconnect(connection);
    };
    // A client of this era that hangs up has not cancelled: it says so when it wants that.
    const reply = this.#server.handle(message, { connection, send: (text) => stream.send(text) });
    if (!isThenable(reply)) return finish(reply);
    const release = hold?.();
    void reply.then((settled) => {
      finish(settled);
      release?.();
    });
  }

  #openListenStream({ connection, streams }: HttpSession, response: ServerResponse): KeptStream | undefined {
    if (streams.isListening) {
      respondError(response, 409, { message: 'This session has its stream open already.' });
      return undefined;
    }
    const stream = streams.listen(response);
    // Clients of earlier revisions take every event for a message.
    if (connection.version === LATEST_LEGACY_VERSION) stream.prime();
    connection.notify = (text) => stream.send(text);
    return stream;
  }

  #resume({ streams, connection }: HttpSession, eventId: string, response: ServerResponse): KeptStream | undefined {
    const rights = connection.caller.access.key;
    const stream = streams.resume(eventId, { response, rights });
    if (stream === undefined) {
      const message = `There is nothing to go on with after Last-Event-ID "${eventId.slice(0, 40)}". Send the request again.`;
      respondError(response, 400, { message });
    }
    return stream;
  }

  /** The request's session; otherwise the request is answered already. */
  #find({ request, response, caller, recheck }: Visit): HttpSession | undefined {
    const { 'mcp-session-id': id, 'mcp-protocol-version': version } = request.headers;
    if (version !== undefined && !(typeof version === 'string' && LEGACY_VERSIONS.includes(version))) {
      const known = [MODERN_VERSION, ...LEGACY_VERSIONS].join(', ');
      respondError(response, 400, {
        message: `MCP-Protocol-Version "${String(version)}" is not spoken here. Use one of: ${known}.`,
      });
      return undefined;
    }
    if (typeof id !== 'string') {
      respondError(response, 400, { message: 'The header Mcp-Session-Id is missing. Send initialize first.' });
      return undefined;
    }
    const session = this.#sessions.find(id, caller, credentialOf(request));
    if (session !== undefined) session.connection.recheck = recheck;
    else {
      respondError(response, 404, {
        message: 'There is no such session (any more). Send initialize again.',
        code: ERROR_CODES.legacyNotFound,
      });
    }
    return session;
  }

  /** Ends the session of a client without access; its running calls end as they started. */
  #revoke(session: HttpSession): void {
    this.#sessions.forget(session);
    session.streams.close();
    if (session.busy === session.listening) this.#server.disconnect(session.connection);
  }
}

/** Hash of a request's credential; empty where it has none. */
function credentialOf({ headers: { authorization } }: IncomingMessage): string {
  return authorization === undefined ? '' : createHash('sha256').update(authorization).digest('base64url');
}
