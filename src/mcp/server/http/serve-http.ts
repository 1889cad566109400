import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { isThenable } from '../../../tool/is-thenable.ts';
import { ANONYMOUS, type Caller } from '../caller.ts';
import type { BoardLike } from '../../../discovery/board-like.ts';
import { type McpServer, toMcpServer } from '../mcp-server.ts';
import { allowOrigin } from './gate/check-sender.ts';
import { findDoubledHeader } from './find-doubled-header.ts';
import { createGate } from './gate/gate.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import { type HttpOptions, isLoopback } from './http-options.ts';
import { isLoginPath, LOGIN_PATH } from './login/login-paths.ts';
import { PlainEndpoint } from './plain/plain-endpoint.ts';
import { isPlainPath } from './plain/plain-paths.ts';
import type { LoginOutcome } from './gate/login.ts';
import { readBearer } from '../auth/read-bearer.ts';
import { gauge, readBoardMetrics } from './board-metrics.ts';
import { ServedFiles } from './replicas/served-files.ts';
import { SharedLimits } from './replicas/shared-limits.ts';
import { CallMetrics } from './metrics.ts';
import { type ExtraHeaders, OpenResponses, respondError, respondJson, respondText } from './respond.ts';
import { isCardPath, respondCard } from './respond-card.ts';
import { isCallsPath, respondCalls } from './respond-calls.ts';
import { createOutputShelf } from '../../../platform/outputs/output-shelf.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

/** A server that listens. */
export interface HttpServer {
  /** The address for clients: `http://127.0.0.1:7331/mcp`. */
  readonly url: string;
  readonly port: number;
  /** The token that was made for it; `undefined` where `token` or `authenticator` was given. */
  readonly token: string | undefined;
  /**
   * Changes the options while it runs, for open sessions and streams too, and gives the names of those that need a
   * restart: `['port']`. Running calls end as they started. Throws for wrong options, and then changes nothing.
   */
  update(options: HttpOptions): string[];
  /** Stops taking requests, gives calls and tasks the grace time, then answers what is left with an error. */
  close(): Promise<void>;
}

/** Milliseconds that the last answers have to reach clients when the server closes. */
const FLUSH_TIME = 1_000;
/** Milliseconds that the board's store has to take what other processes go on with. */
const LEAVE_TIME = 2_000;
const HEALTH = new Set(['/health', '/healthz']);
const READY = new Set(['/ready', '/readyz']);
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** Prometheus's name of the format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Serves a board over HTTP. Clients must show a token: the one you pass, or the one in `token` of the result. A board or a
 * registry is served with the default options of `McpServer`.
 *
 * Throws when it cannot listen on the address, or when other machines could reach it without a token.
 *
 * @example
 * const { url, token } = await serveHttp(board, { port: 7331 });
 */
export async function serveHttp(served: McpServer | BoardLike, options: HttpOptions = {}): Promise<HttpServer> {
  const server = toMcpServer(served, 'serveHttp');
  const fixed = readFixed(options);
  const { host, port, path } = fixed;
  let current = options;
  let gate = createGate(options);
  const endpoint = new HttpEndpoint(server, options);
  if (server.board.store !== undefined) server.board.outputs?.share(createOutputShelf(() => server.board.store));
  const metrics = new CallMetrics(server.board.registry.executor);
  const responses = new OpenResponses();
  const { replica } = endpoint;
  const files = new ServedFiles({
    replica,
    log: (text) => current.log?.(text),
    onOther: () => current.onOtherFiles?.(),
  });
  replica.onJoin = () => files.watch();
  const plain = new PlainEndpoint({ server, replica, needsToken: () => gate.login !== undefined }, options);
  // The same object after each change of the options.
  const sharedLimits = new SharedLimits(gate.limiter, replica);
  let isReady = true;
  /** The origin on which it listens, once it does. */
  let origin = '';
  let isStopping = false;
  let lastFailure: string | undefined;
  const logFailure = (reason: string): void => {
    // Once, however many tokens come meanwhile.
    if (reason !== lastFailure) current.log?.(`tokens cannot be checked: ${reason}`);
    lastFailure = reason;
  };

  const respondMetrics = async (response: ServerResponse, { access, isAnonymous }: Caller): Promise<void> => {
    const isAll = access.key === '' && (isAnonymous !== true || gate.login === undefined);
    const families = [
      gauge('pegboard_sessions', 'Sessions of clients.', [[{}, endpoint.sessions]]),
      gauge('pegboard_requests_in_flight', 'Requests under way.', [[{}, endpoint.running + plain.running]]),
      // Servers and callers are for those who may see everything; and a mere look at the figures makes no store.
      ...(isAll ? await readBoardMetrics(server.board, { usesStore: metrics.hasCalls }) : []),
    ];
    // A tool beyond the caller's rights is not there for it, by name neither.
    const isShown = (name: string): boolean => {
      const tool = server.board.registry.get(name);
      return tool === undefined ? access.key === '' : access.allows(tool);
    };
    respondText(response, metrics.format(families, { isShown, isAll }), { type: METRICS_TYPE });
  };
  const publicUrlOf = ({ publicUrl }: HttpOptions): string | undefined =>
    publicUrl?.replace(/\/+$/, '') ?? (isLoopback(host) ? origin : undefined);
  /** A caller with what its calls may need: where its user logs in at other servers, and the token that let it in. */
  const introduce = (caller: Caller, request: IncomingMessage): Caller => {
    const publicUrl = publicUrlOf(current);
    const token = caller.user?.startsWith('oauth:') === true ? readBearer(request) : undefined;
    return {
      ...caller,
      ...(publicUrl === undefined ? {} : { loginPages: publicUrl + LOGIN_PATH }),
      ...(token === undefined ? {} : { subjectToken: () => token }),
    };
  };
  const enter = (request: IncomingMessage, response: ServerResponse, known: Caller): void => {
    const caller = introduce(known, request);
    const { pathname } = readTarget(request);
    if (pathname === '/metrics') return void respondMetrics(response, caller);
    const isCalls = pathname !== path && isCallsPath(pathname);
    const isPlain = pathname !== path && isPlainPath(pathname);
    if (pathname !== path && !isCalls && !isPlain)
      return respondError(response, 404, { message: `There is nothing at ${pathname}. The board is at ${path}.` });
    const { limiter } = gate;
    const owner = caller.id === '' ? `address:${gate.addressOf(request)}` : caller.id;
    let hold: (() => () => void) | undefined;
    if (limiter.isActive) {
      const turn = limiter.start(owner);
      if (!turn.ok) {
        metrics.refuse(429);
        const headers = { 'retry-after': String(turn.retryAfter) };
        respondError(response, 429, { message: `Too many requests. Try again in ${turn.retryAfter} s.`, headers });
        return;
      }
      // A client that hangs up while its call goes on has not made room for another.
      let users = 1;
      const release = (): void => {
        if (--users === 0) turn.end();
      };
      hold = () => {
        users++;
        return release;
      };
      response.once('close', release);
    }
    if (isCalls) return void respondCalls(request, response, { board: server.board, caller });
    const entered = gate;
    const recheck = (): ReturnType<typeof gate.recheck> => {
      const now = gate.recheck(request);
      const again = (found: Caller | undefined): Caller | undefined => found && introduce(found, request);
      return isThenable(now) ? Promise.resolve(now).then(again) : again(now);
    };
    const visit = { request, response, caller, owner, hold, recheck, isCurrent: () => gate === entered };
    if (isPlain) plain.handle(visit);
    else endpoint.handle(visit);
  };
  const admit = (request: IncomingMessage, response: ServerResponse, who: LoginOutcome): void => {
    if (!('status' in who)) return enter(request, response, who);
    metrics.refuse(who.status);
    const headers: ExtraHeaders =
      who.status === 429 ? { 'retry-after': String(who.retryAfter) } : { 'www-authenticate': who.wwwAuthenticate };
    respondError(response, who.status, { message: who.message, headers });
  };

  const identify = (request: IncomingMessage, response: ServerResponse): void => {
    const { pathname } = readTarget(request);
    const { login, authenticator } = gate;
    if (login === undefined) return enter(request, response, ANONYMOUS);
    if (gate.metricsOpen && pathname === '/metrics') return void respondMetrics(response, ANONYMOUS);
    if (pathname.startsWith(WELL_KNOWN) && authenticator?.metadata !== undefined)
      return respondJson(response, JSON.stringify(authenticator.metadata(request)));
    const who = login(request);
    if (!isThenable(who)) return admit(request, response, who);
    const asked = gate;
    Promise.resolve(who).then(
      // Settings that changed while the token was checked decide.
      (known) => (gate === asked ? admit(request, response, known) : identify(request, response)),
      (error: unknown) => {
        logFailure(messageOf(error));
        respondError(response, 503, { message: 'The token could not be checked. Try again later.' });
      },
    );
  };

  const respondLogin = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const publicUrl = publicUrlOf(current);
    if (publicUrl === undefined)
      return respondError(response, 404, { message: 'Users log in nowhere here. Set serve.publicUrl.' });
    const pages = await import('./login/respond-login.ts');
    const logins = (server.board.servers ?? []).flatMap(({ logins }) => logins ?? []);
    const redact = (text: string): string => server.board.registry.executor.redactor.text(text);
    await pages.respondLogin(request, response, { gate, publicUrl, logins, redact });
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    responses.add(response);
    const doubled = findDoubledHeader(request);
    if (doubled !== undefined) {
      const message = `The header "${doubled}" stands there more than once, and proxies may read another one than this server. Send it once.`;
      return respondError(response, 400, { message, headers: { connection: 'close' } });
    }
    const { pathname } = readTarget(request);
    if (HEALTH.has(pathname))
      return respondText(response, files.warning === undefined ? 'ok\n' : `ok\nwarning: ${files.warning}\n`);
    if (READY.has(pathname))
      return isReady ? respondText(response, 'ready\n') : respondText(response, 'stopping\n', { status: 503 });
    if (isLoginPath(pathname)) return void respondLogin(request, response);
    const { card } = current;
    const isCard = card !== undefined && isCardPath(pathname, path);
    const sendCard = (): void => {
      if (card !== undefined) respondCard(request, response, { card, path, needsToken: gate.login !== undefined });
    };
    if (isCard && card.isPublic !== false) return sendCard();
    const fault = gate.checkSender(request);
    if (fault !== undefined) {
      metrics.refuse(403);
      return respondError(response, 403, { message: fault });
    }
    if (isStopping) {
      return respondError(response, 503, {
        message: 'The server is stopping.',
        headers: { connection: 'close', 'retry-after': '5' },
      });
    }
    allowOrigin(request, response);
    if (isCard) return sendCard();
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    identify(request, response);
  };

  const times = readTimes(options);
  const http = createServer(
    {
      maxHeaderSize: fixed.maxHeader,
      ...times,
      connectionsCheckingInterval: Math.min(5_000, times.headersTimeout),
      noDelay: true,
    },
    onRequest,
  );
  http.maxHeadersCount = 100;
  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => reject(explainListening(cause, host, port)));
    http.listen({ port, host, backlog: 4096 }, resolve);
  });
  if (options.served !== undefined) files.update(options.served);
  // Processes on other machines share such a store; on this one the first session is early enough.
  if (server.board.store?.address.startsWith('postgres') === true) files.join();
  // A server that listens on a port has an address of this shape.
  const { port: actual } = http.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  origin = `http://${name}:${actual}`;

  return {
    url: origin + path,
    port: actual,
    get token() {
      return gate.token;
    },
    update(next) {
      const before = gate;
      // Throws for what makes no sense; from here on everything is taken up.
      gate = createGate({ ...next, host }, gate);
      current = next;
      endpoint.update(next);
      plain.update(next);
      if (next.served !== undefined) files.update(next.served);
      Object.assign(http, readTimes(next));
      if (gate.authenticator !== before.authenticator) server.recheckCallers();
      const wanted: Readonly<Record<string, unknown>> = readFixed(next);
      return Object.entries(fixed).flatMap(([key, value]) => (wanted[key] === value ? [] : [key]));
    },
    async close() {
      if (!isReady) return;
      isReady = false;
      // A balancer that asks now and then sends requests until it has heard of it.
      if (current.drain !== undefined && current.drain > 0) await wait(current.drain);
      isStopping = true;
      files.close();
      sharedLimits.close();
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      server.endStreams();
      endpoint.closeStreams();
      await waitUntil(
        () => endpoint.running + plain.running === 0 && server.runningTasks === 0,
        current.grace ?? 5_000,
      );
      const ended = server.close();
      endpoint.close();
      plain.close();
      metrics.close();
      // Ended calls get their errors out.
      await Promise.race([responses.done(), new Promise((resolve) => setTimeout(resolve, FLUSH_TIME).unref())]);
      http.closeAllConnections();
      // A store that is away must not keep the process.
      const left = Promise.race([endpoint.leave(), new Promise((resolve) => setTimeout(resolve, LEAVE_TIME).unref())]);
      await Promise.all([closed, ended, left]);
    },
  };
}

/** Picks the settings that a listening server cannot change. */
function readFixed(options: HttpOptions): Required<Pick<HttpOptions, 'host' | 'port' | 'path' | 'maxHeader'>> {
  const { host = '127.0.0.1', port = 7331, path = '/mcp', maxHeader = 16_384 } = options;
  return { host, port, path, maxHeader };
}

/** Node's names for the times that a request and a connection have. */
function readTimes(options: HttpOptions): Record<'requestTimeout' | 'headersTimeout' | 'keepAliveTimeout', number> {
  const { requestTimeout = 30_000, headersTimeout = 10_000, idleTimeout = 60_000 } = options;
  return { requestTimeout, headersTimeout: Math.min(headersTimeout, requestTimeout), keepAliveTimeout: idleTimeout };
}

function readTarget(request: IncomingMessage): { readonly pathname: string } {
  const { url = '/' } = request;
  const end = url.indexOf('?');
  return { pathname: end === -1 ? url : url.slice(0, end) };
}

async function waitUntil(isDone: () => boolean, limit: number): Promise<void> {
  const end = performance.now() + limit;
  while (!isDone() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Says why a server cannot listen, and what to do about it. */
function explainListening(cause: NodeJS.ErrnoException, host: string, port: number): ToolError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there. Choose another --port, or 0 for any that is free',
    EACCES: 'this user may not. Choose a --port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address. Choose another --host',
  };
  const why = reasons[cause.code ?? ''] ?? cause.message;
  return new ToolError({ code: 'execution_failed', message: `Cannot listen on ${host}:${port}: ${why}.`, cause });
}
