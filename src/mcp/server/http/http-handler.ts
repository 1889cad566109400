import type { IncomingMessage, ServerResponse } from 'node:http';
import { createOutputShelf } from '../../../platform/outputs/output-shelf.ts';
import { ANONYMOUS, type Caller } from '../caller.ts';
import type { McpServer } from '../mcp-server.ts';
import { allowOrigin, findDoubledHeader } from './gate/check-sender.ts';
import { Entrance, isLoginPath } from './gate/entrance.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import type { HttpOptions } from './http-options.ts';
import { CallMetrics, respondMetrics } from './metrics.ts';
import { PlainEndpoint } from './plain/plain-endpoint.ts';
import { isPlainPath } from './plain/plain-answer.ts';
import { ServedFiles } from './replicas/served-files.ts';
import { SharedLimits } from './replicas/shared-limits.ts';
import { isCallsPath, respondCalls } from './respond-calls.ts';
import { isCardPath, respondCard } from './respond-card.ts';
import { OpenResponses, respondError, respondJson, respondText } from './respond.ts';

/** Milliseconds for the last answers to reach clients when the server closes. */
const FLUSH_TIME = 1_000;
/** Milliseconds for the board's store to take what other processes continue with. */
const LEAVE_TIME = 2_000;
const HEALTH = new Set(['/health', '/healthz']);
const READY = new Set(['/ready', '/readyz']);
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** The path of the MCP endpoint, and the origin on which the server listens. */
interface HttpPlace {
  readonly path: string;
  readonly origin: () => string;
}

/** Answers the HTTP requests to a board. Does not listen itself: any HTTP server can pass requests to it. */
export class HttpHandler {
  readonly #server: McpServer;
  readonly #path: string;
  readonly #entrance: Entrance;
  readonly #endpoint: HttpEndpoint;
  readonly #plain: PlainEndpoint;
  readonly #metrics: CallMetrics;
  readonly #files: ServedFiles;
  readonly #sharedLimits: SharedLimits;
  readonly #responses = new OpenResponses();
  #options: HttpOptions;
  #state: 'ready' | 'leaving' | 'stopping' = 'ready';

  constructor(server: McpServer, options: HttpOptions, { path, origin }: HttpPlace) {
    const { board } = server;
    this.#server = server;
    this.#path = path;
    this.#options = options;
    this.#entrance = new Entrance(options, { origin, onRefuse: (status) => this.#metrics.refuse(status) });
    this.#endpoint = new HttpEndpoint(server, options);
    if (board.store !== undefined) board.outputs?.share(createOutputShelf(() => board.store));
    this.#metrics = new CallMetrics(board.registry.executor);
    const { replica } = this.#endpoint;
    this.#files = new ServedFiles({
      replica,
      log: (text) => this.#options.log?.(text),
      onOther: () => this.#options.onOtherFiles?.(),
    });
    replica.onJoin = () => this.#files.watch();
    this.#plain = new PlainEndpoint({ server, replica, needsToken: () => this.#needsToken }, options);
    // The limiter stays the same object when options change.
    this.#sharedLimits = new SharedLimits(this.#entrance.gate.limiter, replica);
  }

  get token(): string | undefined {
    return this.#entrance.gate.token;
  }

  get #needsToken(): boolean {
    return this.#entrance.gate.login !== undefined;
  }

  get #running(): number {
    return this.#endpoint.running + this.#plain.running;
  }

  /** Joins the replicas, once the server listens. */
  join(): void {
    if (this.#options.served !== undefined) this.#files.update(this.#options.served);
    // Such a store is shared with other machines; on this machine joining with the first session is early enough.
    if (this.#server.board.store?.address.startsWith('postgres') === true) this.#files.join();
  }

  /** Applies other options, also for open sessions and streams. Throws for invalid ones and then changes nothing. */
  update(options: HttpOptions): void {
    const isChanged = this.#entrance.update(options);
    this.#options = options;
    this.#endpoint.update(options);
    this.#plain.update(options);
    if (options.served !== undefined) this.#files.update(options.served);
    if (isChanged) this.#server.recheckCallers();
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#responses.add(response);
    const doubled = findDoubledHeader(request);
    if (doubled !== undefined) {
      const message = `The header "${doubled}" stands there more than once, and proxies may read another one than this server. Send it once.`;
      return respondError(response, 400, { message, headers: { connection: 'close' } });
    }
    const pathname = readPath(request);
    if (HEALTH.has(pathname)) {
      const { warning } = this.#files;
      return respondText(response, warning === undefined ? 'ok\n' : `ok\nwarning: ${warning}\n`);
    }
    if (READY.has(pathname)) {
      const isReady = this.#state === 'ready';
      return respondText(response, isReady ? 'ready\n' : 'stopping\n', { status: isReady ? 200 : 503 });
    }
    if (isLoginPath(pathname)) return void this.#respondLogin(request, response);
    const { card } = this.#options;
    const isCard = card !== undefined && isCardPath(pathname, this.#path);
    const sendCard = (): void => {
      if (card === undefined) return;
      respondCard(request, response, { card, path: this.#path, needsToken: this.#needsToken });
    };
    if (isCard && card.isPublic !== false) return sendCard();
    const fault = this.#entrance.gate.checkSender(request);
    if (fault !== undefined) {
      this.#metrics.refuse(403);
      return respondError(response, 403, { message: fault });
    }
    if (this.#state === 'stopping') {
      const headers = { connection: 'close', 'retry-after': '5' };
      return respondError(response, 503, { message: 'The server is stopping.', headers });
    }
    allowOrigin(request, response);
    if (isCard) return sendCard();
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    this.#identify(request, response);
  }

  /** Reports the server as stopping to load balancers, while it still takes requests. Returns false on later calls. */
  announceStop(): boolean {
    if (this.#state !== 'ready') return false;
    this.#state = 'leaving';
    return true;
  }

  /** Waits for calls and tasks, answers the rest with an error, then closes the connections. */
  async close(grace: number, cutConnections: () => void): Promise<void> {
    this.#state = 'stopping';
    this.#files.close();
    this.#sharedLimits.close();
    this.#server.endStreams();
    this.#endpoint.closeStreams();
    await waitUntil(() => this.#running === 0 && this.#server.runningTasks === 0, grace);
    const ended = this.#server.close();
    this.#endpoint.close();
    this.#plain.close();
    this.#metrics.close();
    // Ended calls send their errors.
    await Promise.race([this.#responses.done(), after(FLUSH_TIME)]);
    cutConnections();
    // An unresponsive store must not block the exit.
    await Promise.all([ended, Promise.race([this.#endpoint.leave(), after(LEAVE_TIME)])]);
  }

  #identify(request: IncomingMessage, response: ServerResponse): void {
    const pathname = readPath(request);
    const { login, authenticator, metricsOpen } = this.#entrance.gate;
    if (login !== undefined && metricsOpen && pathname === '/metrics')
      return void this.#respondMetrics(response, ANONYMOUS);
    if (pathname.startsWith(WELL_KNOWN) && authenticator?.metadata !== undefined)
      return respondJson(response, JSON.stringify(authenticator.metadata(request)));
    this.#entrance.identify(request, response, (caller) => this.#enter(request, response, caller));
  }

  #enter(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    const pathname = readPath(request);
    if (pathname === '/metrics') return void this.#respondMetrics(response, caller);
    const isProtocol = pathname === this.#path;
    const isCalls = !isProtocol && isCallsPath(pathname);
    if (!isProtocol && !isCalls && !isPlainPath(pathname)) {
      const message = `There is nothing at ${pathname}. The board is at ${this.#path}.`;
      return respondError(response, 404, { message });
    }
    const visit = this.#entrance.begin(request, response, caller);
    if (visit === undefined) return;
    if (isCalls) return void respondCalls(request, response, { board: this.#server.board, caller });
    if (isProtocol) this.#endpoint.handle(visit);
    else this.#plain.handle(visit);
  }

  #respondMetrics(response: ServerResponse, caller: Caller): Promise<void> {
    return respondMetrics(response, caller, {
      board: this.#server.board,
      metrics: this.#metrics,
      needsToken: this.#needsToken,
      sessions: this.#endpoint.sessions,
      running: this.#running,
    });
  }

  async #respondLogin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { publicUrl, gate } = this.#entrance;
    if (publicUrl === undefined)
      return respondError(response, 404, { message: 'Users log in nowhere here. Set serve.public_url.' });
    const pages = await import('./respond-login.ts');
    const { servers = [], registry } = this.#server.board;
    const logins = servers.flatMap(({ logins }) => logins ?? []);
    const redact = (text: string): string => registry.executor.redactor.text(text);
    await pages.respondLogin(request, response, { gate, publicUrl, logins, redact });
  }
}

function readPath({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}

async function waitUntil(isDone: () => boolean, limit: number): Promise<void> {
  const end = performance.now() + limit;
  while (!isDone() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
}
