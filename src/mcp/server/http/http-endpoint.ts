import type { IncomingMessage, ServerResponse } from 'node:http';
import { isPlainObject } from '../../../core/json.ts';
import { isThenable } from '../../../core/is-thenable.ts';
import { ERROR_CODES, type IncomingMessage as Message, parseMessage, RequestError } from '../../protocol/json-rpc.ts';
import { LEGACY_VERSIONS, META, MODERN_VERSION } from '../../protocol/versions.ts';
import type { Caller } from '../caller.ts';
import { Failure, type McpServer, type Reply } from '../mcp-server.ts';
import { checkHeaders } from './check-headers.ts';
import { openEventStream, writeEvent } from './event-stream.ts';
import type { HttpOptions } from './http-options.ts';
import { readBody } from './read-body.ts';
import { respondError } from './respond.ts';
import { ResponseStream } from './response-stream.ts';
import { type Session, Sessions } from './sessions.ts';
import { toSessionId } from './to-session-id.ts';

type Request = Message & { readonly type: 'request' };

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  /** Counts the request as under way after its response is closed too, until what this gives is called. */
  readonly hold?: (() => () => void) | undefined;
}

const MAX_BODY = 8 * 1024 * 1024;

/** The protocol's endpoint over HTTP: stateless requests, and sessions for clients of the older era. */
export class HttpEndpoint {
  readonly #server: McpServer;
  readonly #maxBody: number;
  readonly #sessions: Sessions;
  #running = 0;

  constructor(server: McpServer, options: HttpOptions) {
    this.#server = server;
    this.#maxBody = options.maxBody ?? MAX_BODY;
    this.#sessions = new Sessions({
      max: options.maxSessions ?? 1_000,
      ttl: options.sessionTtl ?? 30 * 60_000,
      onEnd: ({ connection }) => server.disconnect(connection, 'The session is over.'),
    });
  }

  /** Requests under way. */
  get running(): number {
    return this.#running;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  handle(visit: Visit): void {
    switch (visit.request.method) {
      case 'POST':
        return this.#post(visit);
      case 'GET':
        return this.#listen(visit);
      case 'DELETE':
        return this.#end(visit);
      default:
        return respondError(visit.response, 405, {
          message: `${visit.request.method} is not for this address. Use POST.`,
          headers: { allow: 'POST, GET, DELETE' },
        });
    }
  }

  /** Ends the streams of sessions; their calls go on. */
  closeStreams(): void {
    for (const { connection } of this.#sessions.all()) connection.onClose?.();
  }

  close(): void {
    this.#sessions.close();
  }

  #post(visit: Visit): void {
    const { request, response } = visit;
    const type = request.headers['content-type'];
    // Pages of other sites cannot send this type without asking first.
    if (type === undefined || !/^application\/json(?:\s*;|$)/i.test(type)) {
      respondError(response, 415, { message: `Send JSON with content-type: application/json; got "${type ?? ''}".` });
      return;
    }
    readBody(request, this.#maxBody, (body) => {
      if (body === undefined) {
        const message = `The message is larger than ${this.#maxBody} bytes, which is all this server takes.`;
        respondError(response, 413, { message, headers: { connection: 'close' } });
      } else this.#takeSafely(body, visit);
    });
  }

  /** One message must not end the server, whatever is wrong with it. */
  #takeSafely(body: string, visit: Visit): void {
    try {
      this.#take(parseMessage(body), visit);
    } catch {
      if (visit.response.headersSent) visit.response.destroy();
      else
        respondError(visit.response, 500, {
          message: 'The message could not be taken.',
          code: ERROR_CODES.internalError,
        });
    }
  }

  #take(message: Message, visit: Visit): void {
    const { request, response } = visit;
    if (message.type === 'invalid') {
      new ResponseStream(response, { accept: undefined, isModern: true }).end(
        new Failure(message.id, message.error, true),
      );
      return;
    }
    const version = request.headers['mcp-protocol-version'];
    if (version === MODERN_VERSION || declaresVersion(message)) {
      if (message.type === 'request') this.#takeModern(message, visit);
      else if (message.type === 'notification') response.writeHead(202).end();
      else respondError(response, 400, { message: 'Answers to questions travel with the request, as inputResponses.' });
      return;
    }
    if (message.type === 'request' && message.method === 'initialize') {
      this.#open(message, visit);
      return;
    }
    const session = this.#find(visit);
    if (session === undefined) return;
    const { accept } = request.headers;
    if (accept !== undefined && !/text\/event-stream|\*\/\*/.test(accept)) {
      // Questions to the client travel as events: without them a call would wait for ever.
      respondError(response, 406, { message: 'Send the header Accept: application/json, text/event-stream.' });
      return;
    }
    if (message.type === 'request') this.#takeLegacy(message, session, visit);
    else {
      void this.#server.handle(message, { connection: session.connection, send: () => {} });
      response.writeHead(202).end();
    }
  }

  #takeModern(message: Request, { request, response, caller }: Visit): void {
    const stream = new ResponseStream(response, { accept: request.headers.accept, isModern: true });
    try {
      checkHeaders(request.headers, message, (name) => this.#server.board.registry.get(name));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      stream.end(new Failure(message.id, error, true));
      return;
    }
    const connection = this.#server.connect(caller, toSessionId(caller, request.socket));
    const finish = (reply: Reply): void => {
      this.#running--;
      response.off('close', leave);
      this.#server.disconnect(connection);
      stream.end(reply);
    };
    // Whoever hangs up has cancelled.
    const leave = (): void => this.#server.disconnect(connection, 'The client hung up.');
    this.#running++;
    const reply = this.#server.handle(message, { connection, era: 'modern', send: (text) => stream.send(text) });
    if (!isThenable(reply)) {
      finish(reply);
      return;
    }
    response.on('close', leave);
    void reply.then(finish);
  }

  #open(message: Request, { request, response, caller }: Visit): void {
    const connection = this.#server.connect(caller);
    const session = this.#sessions.create(connection);
    if (session === undefined) {
      this.#server.disconnect(connection);
      const headers = { 'retry-after': '30' };
      respondError(response, 503, { message: 'There are too many sessions. Try again later.', headers });
      return;
    }
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

  #takeLegacy(message: Request, session: Session, { request, response, hold }: Visit): void {
    const stream = new ResponseStream(response, { accept: request.headers.accept, isModern: false });
    session.busy++;
    this.#running++;
    const finish = (reply: Reply): void => {
      session.busy--;
      this.#running--;
      stream.end(reply);
    };
    // A client of this era that hangs up has not cancelled: it says so when it wants that.
    const { connection } = session;
    const reply = this.#server.handle(message, { connection, send: (text) => stream.send(text) });
    if (!isThenable(reply)) {
      finish(reply);
      return;
    }
    const release = hold?.();
    void reply.then((settled) => {
      finish(settled);
      release?.();
    });
  }

  /** A stream for what belongs to no request. */
  #listen(visit: Visit): void {
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
    const { connection } = session;
    if (connection.notify !== undefined) {
      respondError(response, 409, { message: 'This session has its stream open already.' });
      return;
    }
    openEventStream(response);
    session.busy++;
    connection.notify = (text) => writeEvent(response, text);
    const stop = (): void => void response.end();
    connection.onClose = stop;
    response.once('close', () => {
      session.busy--;
      connection.notify = undefined;
      connection.onClose = undefined;
    });
  }

  #end(visit: Visit): void {
    const session = this.#find(visit);
    if (session === undefined) return;
    this.#sessions.end(session);
    visit.response.writeHead(204).end();
  }

  /** The request's session; otherwise the request is answered already. */
  #find({ request, response, caller }: Visit): Session | undefined {
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
    const session = this.#sessions.find(id, caller);
    if (session === undefined) {
      respondError(response, 404, {
        message: 'There is no such session (any more). Send initialize again.',
        code: ERROR_CODES.legacyNotFound,
      });
    }
    return session;
  }
}

function declaresVersion(message: Message): boolean {
  if (message.type !== 'request' && message.type !== 'notification') return false;
  const meta = message.params?.['_meta'];
  return isPlainObject(meta) && meta[META.protocolVersion] !== undefined;
}
