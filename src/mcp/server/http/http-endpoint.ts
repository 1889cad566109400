import { isPlainObject } from '../../../tool/json.ts';
import { isThenable } from '../../../tool/is-thenable.ts';
import {
  ERROR_CODES,
  type IncomingMessage as Message,
  messageValues,
  parseMessage,
  RequestError,
} from '../../protocol/json-rpc.ts';
import { type Era, LEGACY_VERSIONS, META, MODERN_VERSION } from '../../protocol/mcp-names.ts';
import { Failure, type Reply } from '../connection.ts';
import type { McpServer } from '../mcp-server.ts';
import { checkHeaders } from './check-headers.ts';
import type { HttpOptions } from './http-options.ts';
import { readJsonBody } from './read-body.ts';
import { respondError } from './respond.ts';
import type { Replica } from './replicas/replica.ts';
import { ResponseStream } from './streams/response-stream.ts';
import { SessionEndpoint, type Visit } from './session-endpoint.ts';
import { toSessionId } from './http-sessions.ts';

/** Default for the bytes of one message. */
export const MAX_BODY: number = 8 * 1024 * 1024;

/** The MCP endpoint over HTTP: answers stateless requests, and passes those of sessions on. */
export class HttpEndpoint {
  readonly #server: McpServer;
  #maxBody: number;
  readonly #sessions: SessionEndpoint;
  #running = 0;

  constructor(server: McpServer, options: HttpOptions) {
    this.#server = server;
    this.#maxBody = options.maxBody ?? MAX_BODY;
    this.#sessions = new SessionEndpoint(server, options);
  }

  update(options: HttpOptions): void {
    this.#maxBody = options.maxBody ?? MAX_BODY;
    this.#sessions.update(options);
  }

  get running(): number {
    return this.#running + this.#sessions.running;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  handle(visit: Visit): void {
    switch (visit.request.method) {
      case 'POST':
        return this.#post(visit);
      case 'GET':
        return this.#sessions.listen(visit);
      case 'DELETE':
        return this.#sessions.end(visit);
      default:
        return respondError(visit.response, 405, {
          message: `${visit.request.method} is not for this address. Use POST.`,
          headers: { allow: 'POST, GET, DELETE' },
        });
    }
  }

  /** Ends the streams of sessions; their calls continue. */
  closeStreams(): void {
    this.#sessions.closeStreams();
  }

  get replica(): Replica {
    return this.#sessions.shared.replica;
  }

  close(): void {
    this.#sessions.close();
  }

  /** Leaves the replicas after everything sent is stored. */
  leave(): Promise<void> {
    return this.#sessions.shared.close();
  }

  #post(visit: Visit): void {
    readJsonBody(
      visit,
      { bytes: this.#maxBody, values: messageValues(this.#server.board.registry.executor) },
      (body, current) => this.#takeSafely(body, current),
    );
  }

  /** Answers 500 if handling throws: one message must not end the server. */
  #takeSafely(body: string, visit: Visit): void {
    try {
      this.#take(parseMessage(body), visit);
    } catch {
      if (visit.response.headersSent) visit.response.destroy();
      else {
        const error = { message: 'The message could not be taken.', code: ERROR_CODES.internalError };
        respondError(visit.response, 500, error);
      }
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
    const isModern = request.headers['mcp-protocol-version'] === MODERN_VERSION || declaresVersion(message);
    if (!isModern && isSessionless(message, request)) this.#takeAlone(message, visit);
    else if (!isModern) this.#sessions.take(message, visit);
    else if (message.type === 'request') this.#takeModern(message, visit);
    else if (message.type === 'notification') response.writeHead(202).end();
    else respondError(response, 400, { message: 'Answers to questions travel with the request, as inputResponses.' });
  }

  #takeModern(message: Message & { readonly type: 'request' }, visit: Visit): void {
    const { request, response, caller } = visit;
    const stream = new ResponseStream(response, { accept: request.headers.accept, isModern: true });
    try {
      checkHeaders(request.headers, message, (name) => this.#server.methods.catalog.view(caller.access).find(name));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      stream.end(new Failure(message.id, error, true));
      return;
    }
    this.#answer(message, visit, { stream, era: 'modern' });
  }

  /** Answers a request without a handshake that needs no session. The client cannot be asked anything. */
  #takeAlone(message: Message & { readonly type: 'request' }, visit: Visit): void {
    const { accept } = visit.request.headers;
    const stream = new ResponseStream(visit.response, { accept, isModern: false });
    this.#answer(message, visit, { stream, era: 'legacy' });
  }

  #answer(
    message: Message & { readonly type: 'request' },
    visit: Visit,
    { stream, era }: { readonly stream: ResponseStream; readonly era: Era },
  ): void {
    const { request, response, caller } = visit;
    const connection = this.#server.connect(caller, toSessionId(caller, request.socket, this.replica.id));
    connection.recheck = visit.recheck;
    // The protocol defines the revision of a request that names none.
    if (era === 'legacy') connection.version = String(request.headers['mcp-protocol-version'] ?? UNSAID_VERSION);
    const finish = (reply: Reply): void => {
      this.#running--;
      response.off('close', leave);
      connection.close();
      stream.end(reply);
    };
    // Hanging up cancels the request.
    const leave = (): void => connection.close(new Error('The client hung up.'));
    this.#running++;
    const reply = connection.handle(message, { era, send: (text) => stream.send(text) });
    if (!isThenable(reply)) return finish(reply);
    response.on('close', leave);
    void reply.then(finish);
  }
}

/** Requests that do not affect later ones. */
const ALONE: ReadonlySet<string> = new Set([
  'ping',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'completion/complete',
  'skills/list',
  'skills/get',
]);
const UNSAID_VERSION = '2025-03-26';

/** Returns true for a request of a handshake revision that names no session and needs none. A call that asks for a task needs one. */
function isSessionless(
  message: Message,
  { headers }: Visit['request'],
): message is Message & { readonly type: 'request' } {
  const { 'mcp-session-id': session, 'mcp-protocol-version': version = UNSAID_VERSION } = headers;
  if (message.type !== 'request' || session !== undefined || !LEGACY_VERSIONS.includes(String(version))) return false;
  return ALONE.has(message.method) && message.params?.['task'] === undefined;
}

function declaresVersion(message: Message): boolean {
  if (message.type !== 'request' && message.type !== 'notification') return false;
  const meta = message.params?.['_meta'];
  return isPlainObject(meta) && meta[META.protocolVersion] !== undefined;
}
