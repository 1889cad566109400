import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ToolError } from '../../../core/tool-error.ts';
import { isThenable } from '../../../core/is-thenable.ts';
import { ANYBODY, type Caller } from '../caller.ts';
import type { McpServer } from '../mcp-server.ts';
import { requireServer } from '../require-server.ts';
import { allowOrigin } from './allow-origin.ts';
import { createSenderCheck } from './check-sender.ts';
import { createClientAddress } from './client-address.ts';
import { ClientLimiter } from './client-limiter.ts';
import { explainListening } from './explain-listening.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import { type HttpOptions, isLoopback } from './http-options.ts';
import { createLogin, type LoginOutcome } from './login.ts';
import { CallMetrics } from './metrics.ts';
import { type ExtraHeaders, respondError, respondJson, respondText } from './respond.ts';

/** A server that listens. */
export interface HttpServer {
  /** Where clients reach it: `http://127.0.0.1:7331/mcp`. */
  readonly url: string;
  readonly port: number;
  /** Stops taking requests, gives calls and tasks the grace time, cancels what is left. */
  close(): Promise<void>;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** What Prometheus calls the format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const WRONG_TOKENS = 20;
const REMOTE_LIMITS = { rate: 100, concurrency: 64 } as const;

/** Serves over HTTP. Throws when an address that others can reach would be open to everybody, or cannot be listened on. */
export async function serveHttp(server: McpServer, options: HttpOptions = {}): Promise<HttpServer> {
  requireServer(server, 'serveHttp');
  const { host = '127.0.0.1', port = 7331, path = '/mcp', authenticator, grace = 5_000 } = options;
  if (!isLoopback(host) && authenticator === undefined) {
    throw new ToolError({
      code: 'invalid_arguments',
      message: `Others can reach ${host}, so it needs a token: pass --token, or set serve.token or serve.oauth. Without one only this machine is served: --host 127.0.0.1.`,
    });
  }
  const endpoint = new HttpEndpoint(server, options);
  const metrics = new CallMetrics(server.board.registry.executor);
  const limiter = new ClientLimiter(options.limits ?? (isLoopback(host) ? {} : REMOTE_LIMITS));
  const checkSender = createSenderCheck(options);
  const addressOf = createClientAddress(options.trustedProxies);
  const { wrongTokens = WRONG_TOKENS, metricsOpen = false } = options;
  const login = authenticator && createLogin(authenticator, { addressOf, wrongTokens });
  let isStopping = false;
  let lastFailure: string | undefined;
  const tellFailure = (reason: string): void => {
    // Once, however many tokens come meanwhile.
    if (reason !== lastFailure) options.log?.(`tokens cannot be checked: ${reason}`);
    lastFailure = reason;
  };

  const tellMetrics = (response: ServerResponse, { access }: Caller): void => {
    const gauges = { pegboard_sessions: endpoint.sessions, pegboard_requests_in_flight: endpoint.running };
    // What somebody may not use is not there for them, by name neither.
    const isShown = (name: string): boolean => {
      const tool = server.board.registry.get(name);
      return tool === undefined ? access.key === '' : access.allows(tool);
    };
    respondText(response, metrics.format(gauges, isShown), { type: METRICS_TYPE });
  };
  const enter = (request: IncomingMessage, response: ServerResponse, caller: Caller): void => {
    const { pathname } = readTarget(request);
    if (pathname === '/metrics') return tellMetrics(response, caller);
    if (pathname !== path) {
      respondError(response, 404, { message: `There is nothing at ${pathname}. The board is at ${path}.` });
      return;
    }
    let hold: (() => () => void) | undefined;
    if (limiter.isActive) {
      const turn = limiter.start(caller.id === '' ? addressOf(request) : caller.id);
      if (!turn.ok) {
        const headers = { 'retry-after': String(turn.retryAfter) };
        respondError(response, 429, { message: `Too many requests. Try again in ${turn.retryAfter} s.`, headers });
        return;
      }
      // Whoever hangs up while a call goes on has not made room for another.
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
    endpoint.handle({ request, response, caller, hold });
  };
  const admit = (request: IncomingMessage, response: ServerResponse, who: LoginOutcome): void => {
    if (!('status' in who)) return enter(request, response, who);
    const headers: ExtraHeaders =
      who.status === 429 ? { 'retry-after': String(who.retryAfter) } : { 'www-authenticate': who.wwwAuthenticate };
    respondError(response, who.status, { message: who.message, headers });
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { pathname } = readTarget(request);
    if (pathname === '/healthz') return respondText(response, 'ok\n');
    if (pathname === '/readyz') {
      return isStopping ? respondText(response, 'stopping\n', { status: 503 }) : respondText(response, 'ready\n');
    }
    const fault = checkSender(request);
    if (fault !== undefined) return respondError(response, 403, { message: fault });
    if (isStopping) {
      return respondError(response, 503, {
        message: 'The server is stopping.',
        headers: { connection: 'close', 'retry-after': '5' },
      });
    }
    allowOrigin(request, response);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    if (login === undefined) return enter(request, response, ANYBODY);
    if (metricsOpen && pathname === '/metrics') return tellMetrics(response, ANYBODY);
    if (pathname.startsWith(WELL_KNOWN) && authenticator?.metadata !== undefined) {
      return respondJson(response, JSON.stringify(authenticator.metadata(request)));
    }
    const who = login(request);
    if (!isThenable(who)) return admit(request, response, who);
    Promise.resolve(who).then(
      (known) => admit(request, response, known),
      (error: unknown) => {
        tellFailure(error instanceof Error ? error.message : String(error));
        respondError(response, 503, { message: 'The token could not be checked. Try again later.' });
      },
    );
  };

  const { maxHeader = 16_384, requestTimeout = 30_000, headersTimeout = 10_000, idleTimeout = 60_000 } = options;
  const http = createServer(
    {
      maxHeaderSize: maxHeader,
      requestTimeout,
      headersTimeout: Math.min(headersTimeout, requestTimeout),
      keepAliveTimeout: idleTimeout,
      connectionsCheckingInterval: Math.min(5_000, headersTimeout),
      noDelay: true,
    },
    onRequest,
  );
  http.maxHeadersCount = 100;
  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => reject(explainListening(cause, host, port)));
    http.listen({ port, host, backlog: 4096 }, resolve);
  });
  // A server that listens on a port has an address of this shape.
  const { port: actual } = http.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;

  return {
    url: `http://${name}:${actual}${path}`,
    port: actual,
    async close() {
      if (isStopping) return;
      isStopping = true;
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      server.endStreams();
      endpoint.closeStreams();
      await waitUntil(() => endpoint.running === 0 && server.runningTasks === 0, grace);
      server.close();
      endpoint.close();
      metrics.close();
      // What was cancelled gets its last words out.
      await waitUntil(() => endpoint.running === 0, 1_000);
      http.closeAllConnections();
      await closed;
    },
  };
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
