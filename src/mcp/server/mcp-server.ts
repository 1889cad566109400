import type { Cancellation, CancelSignal } from '../../tool/calls/cancellation.ts';
import { isPlainObject } from '../../tool/json.ts';
import { isThenable } from '../../tool/is-thenable.ts';
import {
  ERROR_CODES,
  formatResult,
  type IncomingMessage,
  type JsonRpcId,
  type JsonRpcParams,
  RequestError,
  invalidParams,
} from '../protocol/json-rpc.ts';
import { type Era, META, MODERN_VERSION, parseLogLevel } from '../protocol/mcp-names.ts';
import { toolUri } from './sources/board-offers.ts';
import { type Caller } from './caller.ts';
import { Connection, type Exchange, Failure, type Reply } from './connection.ts';
import { applyConnectionState, type ConnectionState } from './connection-state.ts';
import { createMethods, type Methods } from './methods.ts';
import { type Answer, type MethodHandler, OpenRequest } from './request-scope.ts';
import { type BoardLike, type BoardParts, toBoardParts } from '../../discovery/board-like.ts';
import type { ServerInfo } from './handshake.ts';
import type { McpServerOptions } from './server-options.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

const STOPPED =
  'The server stopped before the call was done. It may have had effects; call again when the server is back.';

/**
 * Serves a board over both styles of the protocol: receives messages from any transport and returns the answers.
 *
 * @example
 * const server = new McpServer(board, { name: 'bakery', instructions: 'Ask for stock before you order.' });
 * await serveStdio(server);
 */
export class McpServer {
  readonly board: BoardParts;
  readonly #methods: Methods;
  readonly #stop: readonly (() => void)[];
  #modernEnd: string;
  readonly #connections = new Set<Connection>();
  #options: McpServerOptions;

  constructor(given: BoardLike, options: McpServerOptions = {}) {
    const board = toBoardParts(given, 'new McpServer');
    this.board = board;
    this.#options = options;
    this.#methods = createMethods(board, options);
    this.#modernEnd = toModernEnd(this.#methods.info);
    const { registry } = board;
    const changed = (): void => this.#toolsChanged();
    this.#stop = [
      ...(board.offers === undefined
        ? []
        : [board.offers.onChange((list) => this.#methods.subscriptions.listChanged(list))]),
      registry.on('tool:registered', changed),
      registry.on('tool:removed', changed),
      registry.on('registry:cleared', changed),
      registry.on('tool:updated', ({ name, tool }) => {
        changed();
        this.#methods.subscriptions.resourceUpdated(toolUri(name), ({ access }) => access.allows(tool));
      }),
    ];
  }

  /** Opens the connection of a client; `close` it when the client is gone. A client that reconnects passes its `sessionId`. */
  connect(caller: Caller, sessionId?: string): Connection {
    return this.#add(new Connection(this, { caller, sessionId }));
  }

  /** @internal Opens the connection of a session that processes of the board share, with its stored state. */
  connectSession(caller: Caller, sessionId: string, state?: ConnectionState): Connection {
    const connection = this.#add(new Connection(this, { caller, sessionId, isWhole: true }));
    if (state !== undefined) {
      applyConnectionState(connection, state);
      this.#methods.subscriptions.follow(connection);
    }
    return connection;
  }

  #add(connection: Connection): Connection {
    this.#connections.add(connection);
    return connection;
  }

  /** @internal Removes a closed connection. */
  forget(connection: Connection): void {
    this.#connections.delete(connection);
    this.#methods.subscriptions.unfollow(connection);
  }

  /** @internal The handlers of requests, and the tools as each caller sees them. */
  get methods(): Methods {
    return this.#methods;
  }

  /** Changes the options. Lists, searches and tasks change at once; earlier handshakes stay. */
  update(options: McpServerOptions): void {
    const before = this.#options;
    this.#options = options;
    this.#methods.update(options);
    this.#modernEnd = toModernEnd(this.#methods.info);
    const isSame =
      JSON.stringify(before) === JSON.stringify(options) &&
      before.prompts === options.prompts &&
      before.resources === options.resources;
    if (isSame) return;
    this.#toolsChanged();
    this.#methods.subscriptions.listChanged('prompts');
  }

  /**
   * Checks all open clients again after tokens or rights changed.
   *
   * Clients without access lose their sessions and streams; clients with other rights are notified of changed lists. Running calls
   * finish unchanged.
   */
  recheckCallers(): void {
    const connections = new Set([...this.#connections, ...this.#methods.tasks.connections()]);
    for (const connection of connections) {
      const revoke = (): void => this.#revoke(connection);
      const settle = (caller: Caller | undefined): void => {
        if (caller === undefined || caller.id !== connection.caller.id) return revoke();
        const { access } = connection.caller;
        connection.caller = caller;
        if (access.key !== caller.access.key) this.#methods.subscriptions.listsChangedFor(connection);
      };
      try {
        const caller = connection.recheck === undefined ? connection.caller : connection.recheck();
        if (isThenable(caller)) void Promise.resolve(caller).then(settle, revoke);
        else settle(caller);
      } catch {
        revoke();
      }
    }
  }

  #revoke(connection: Connection): void {
    this.#methods.subscriptions.revoke(connection);
    this.#methods.tasks.revoke(connection);
    connection.revoke();
  }

  /** Notifies clients of a changed list of prompts or resources. Changed tools are announced automatically. */
  listChanged(list: 'prompts' | 'resources'): void {
    this.#methods.subscriptions.listChanged(list);
  }

  /** Notifies clients that follow a resource of its change. */
  resourceUpdated(uri: string): void {
    this.#methods.subscriptions.resourceUpdated(uri);
  }

  /** @internal Handles a message of a connection. Never throws. */
  handle(message: IncomingMessage, connection: Connection, exchange: Exchange): Reply | Promise<Reply> {
    switch (message.type) {
      case 'request':
        return this.#request(message, connection, exchange);
      case 'notification':
        this.#notification(message.method, message.params, connection);
        return undefined;
      case 'result':
      case 'error':
        connection.answer(message.id, message);
        return undefined;
      case 'invalid':
        return new Failure(message.id, message.error, true);
      default:
        return message satisfies never;
    }
  }

  /** Tasks that run although their requests were answered. */
  get runningTasks(): number {
    return this.#methods.tasks.running;
  }

  /** Ends the streams of clients that listen for changes, each with a result. */
  endStreams(): void {
    this.#methods.subscriptions.close();
  }

  /** Ends everything in progress: waiting clients get this error. Resolves after the store has it too. */
  async close(reason: string = STOPPED): Promise<void> {
    for (const stop of this.#stop) stop();
    const kept = this.#methods.close();
    const error = new RequestError(ERROR_CODES.internalError, reason);
    for (const connection of this.#connections) connection.close(error);
    await kept;
  }

  #request(
    message: IncomingMessage & { readonly type: 'request' },
    connection: Connection,
    exchange: Exchange,
  ): Reply | Promise<Reply> {
    const { id, method } = message;
    const running = connection.begin(id);
    if (running === undefined) {
      return failure(
        id,
        new RequestError(
          ERROR_CODES.invalidRequest,
          `A request with the id ${JSON.stringify(id)} is under way. Use another id.`,
        ),
      );
    }
    let request: OpenRequest;
    try {
      request = this.#open(message, { connection, exchange, cancellation: running.cancellation });
    } catch (error) {
      connection.end(id);
      return failure(id, error, true);
    }
    try {
      const handler = this.#find(request.era, method);
      const answer = handler(request);
      if (!isThenable(answer)) return this.#settle(request, answer);
      return new Promise((resolve) => {
        // Work that ignores its cancellation must not keep its client waiting.
        running.waiting = new WaitingRequest(request, resolve);
        answer.then(
          (settled) => resolve(this.#settle(request, settled)),
          (error: unknown) => resolve(fail(request, error)),
        );
      });
    } catch (error) {
      return fail(request, error);
    }
  }

  #settle(request: OpenRequest, answer: Answer): Reply {
    const { id, era, cancellation } = request;
    close(request);
    if (cancellation.aborted) return answerEnded(id, cancellation);
    if (answer === undefined) return undefined;
    try {
      return formatResult(id, era === 'legacy' ? toJson(answer) : this.#toModern(answer));
    } catch (error) {
      // A prompt or resource from code that JSON cannot carry.
      return failure(id, error);
    }
  }

  #find(era: Era, method: string): MethodHandler {
    const handler = this.#methods[era].get(method);
    if (handler !== undefined) return handler;
    const other = era === 'modern' ? this.#methods.legacy : this.#methods.modern;
    const hint = other.has(method) ? ` in this revision of the protocol` : '';
    throw new RequestError(ERROR_CODES.methodNotFound, `There is no method "${method}"${hint}.`);
  }

  /** Determines the era of a request and checks it. */
  #open(
    {
      id,
      method,
      params = {},
    }: { readonly id: JsonRpcId; readonly method: string; readonly params?: JsonRpcParams | undefined },
    {
      connection,
      exchange,
      cancellation,
    }: { readonly connection: Connection; readonly exchange: Exchange; readonly cancellation: Cancellation },
  ): OpenRequest {
    const given = { id, method, params, connection, cancellation };
    const meta = isPlainObject(params['_meta']) ? params['_meta'] : undefined;
    const isModern =
      exchange.era === 'modern' || meta?.[META.protocolVersion] !== undefined || method === 'server/discover';
    if (!isModern) {
      const isOpen = connection.version !== undefined || method === 'initialize' || method === 'ping';
      if (!isOpen) {
        const message = `"${method}" came before the handshake. Send initialize first, or say your revision with each request: params._meta["${META.protocolVersion}"] and ["${META.clientCapabilities}"].`;
        throw invalidParams(message);
      }
      const { capabilities, logLevel } = connection;
      return new OpenRequest({ ...given, era: 'legacy', capabilities, logLevel }, exchange);
    }
    const version = meta?.[META.protocolVersion];
    const capabilities = meta?.[META.clientCapabilities];
    if (typeof version !== 'string' || !isPlainObject(capabilities)) {
      const missing = typeof version === 'string' ? META.clientCapabilities : META.protocolVersion;
      throw invalidParams(`params._meta["${missing}"] is missing.`);
    }
    if (version !== MODERN_VERSION) {
      throw new RequestError(
        ERROR_CODES.unsupportedVersion,
        `The protocol version "${version}" is not spoken here. Use ${MODERN_VERSION}, or start with initialize for an older one.`,
        { supported: [MODERN_VERSION], requested: version },
      );
    }
    const logLevel = parseLogLevel(meta?.[META.logLevel]);
    return new OpenRequest({ ...given, era: 'modern', capabilities, logLevel }, exchange);
  }

  #toModern(answer: Exclude<Answer, undefined>): string {
    if (typeof answer === 'string') return `{"resultType":"complete",${answer.slice(1, -1)}${this.#modernEnd}`;
    const meta = {
      [META.serverInfo]: this.#methods.info.serverInfo,
      ...(isPlainObject(answer['_meta']) ? answer['_meta'] : {}),
    };
    return JSON.stringify({ resultType: 'complete', ...answer, _meta: meta });
  }

  #notification(method: string, params: JsonRpcParams | undefined, connection: Connection): void {
    if (method === 'notifications/roots/list_changed') {
      connection.roots.version++;
      connection.roots.list = undefined;
    }
    if (method !== 'notifications/cancelled') return;
    const requestId = params?.['requestId'];
    const reason = params?.['reason'];
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    connection.cancel(requestId, typeof reason === 'string' ? reason : 'The client cancelled the request.');
  }

  #toolsChanged(): void {
    this.#methods.catalog.forget();
    this.#methods.subscriptions.listChanged('tools');
    // Every tool has a resource.
    this.#methods.subscriptions.listChanged('resources');
  }
}

/** Returns the given server, or creates one for a board with default options. `caller` is named in the error for anything else. */
export function toMcpServer(served: McpServer | BoardLike, caller: string): McpServer {
  return served instanceof McpServer ? served : new McpServer(toBoardParts(served, caller));
}

/** A request whose answer is pending. An object, because V8 keeps a function that is created for each request until a full collection. */
class WaitingRequest {
  readonly #request: OpenRequest;
  readonly #resolve: (reply: Reply) => void;

  constructor(request: OpenRequest, resolve: (reply: Reply) => void) {
    this.#request = request;
    this.#resolve = resolve;
  }

  fail(error: RequestError): void {
    this.#resolve(fail(this.#request, error));
  }
}

function fail(request: OpenRequest, error: unknown): Reply {
  const { id, cancellation } = request;
  close(request);
  return cancellation.aborted ? answerEnded(id, cancellation) : failure(id, error);
}

function close(request: OpenRequest): void {
  request.isOver = true;
  request.connection.end(request.id);
}

/** A request that its client cancelled gets no answer; one that the server ended gets the reason. */
function answerEnded(id: JsonRpcId, { reason }: CancelSignal): Reply {
  return reason instanceof RequestError ? failure(id, reason) : undefined;
}

function toModernEnd({ serverInfo }: ServerInfo): string {
  return `,"_meta":${JSON.stringify({ [META.serverInfo]: serverInfo })}}`;
}

function toJson(answer: Exclude<Answer, undefined>): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}

function failure(id: JsonRpcId, error: unknown, isEarly = false): Failure {
  if (error instanceof RequestError) return new Failure(id, error, isEarly);
  const message = messageOf(error);
  return new Failure(id, { code: ERROR_CODES.internalError, message: `The server failed: ${message}` });
}
