import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { BoardLike } from '../../../discovery/board-like.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { type McpServer, toMcpServer } from '../mcp-server.ts';
import { HttpHandler } from './http-handler.ts';
import type { HttpOptions } from './http-options.ts';

/** A listening server. */
export interface HttpServer {
  /** The address for clients: `http://127.0.0.1:7331/mcp`. */
  readonly url: string;
  readonly port: number;
  /** The generated token; `undefined` if `token` or `authenticator` was given. */
  readonly token: string | undefined;
  /**
   * Changes the options, also for open sessions and streams, and returns the names of those that need a restart: `['port']`. Running
   * calls finish unchanged. Throws for invalid options and then changes nothing.
   */
  update(options: HttpOptions): string[];
  /** Stops taking requests, waits for calls and tasks during the grace time, then answers the rest with an error. */
  close(): Promise<void>;
}

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
  const fixed = readFixed(options);
  const { host, port, path } = fixed;
  let origin = '';
  const handler = new HttpHandler(toMcpServer(served, 'serveHttp'), options, { path, origin: () => origin });
  const times = readTimes(options);
  const http = createServer(
    {
      maxHeaderSize: fixed.maxHeader,
      ...times,
      connectionsCheckingInterval: Math.min(5_000, times.headersTimeout),
      noDelay: true,
    },
    (request, response) => handler.handle(request, response),
  );
  http.maxHeadersCount = 100;
  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => reject(explainListening(cause, host, port)));
    http.listen({ port, host, backlog: 4096 }, resolve);
  });
  handler.join();
  // The address of a server that listens on a port has this shape.
  const { port: actual } = http.address() as AddressInfo;
  origin = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
  let current = options;

  return {
    url: origin + path,
    port: actual,
    get token() {
      return handler.token;
    },
    update(next) {
      handler.update(next);
      current = next;
      Object.assign(http, readTimes(next));
      const wanted: Readonly<Record<string, unknown>> = readFixed(next);
      return Object.entries(fixed).flatMap(([key, value]) => (wanted[key] === value ? [] : [key]));
    },
    async close() {
      if (!handler.announceStop()) return;
      // A load balancer sends requests until its next check.
      if (current.drain !== undefined && current.drain > 0) await wait(current.drain);
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      await handler.close(current.grace ?? 5_000, () => http.closeAllConnections());
      await closed;
    },
  };
}

/** Returns the settings that cannot change while listening. */
function readFixed(options: HttpOptions): Required<Pick<HttpOptions, 'host' | 'port' | 'path' | 'maxHeader'>> {
  const { host = '127.0.0.1', port = 7331, path = '/mcp', maxHeader = 16_384 } = options;
  return { host, port, path, maxHeader };
}

/** Returns the times under Node's names. */
function readTimes(options: HttpOptions): Record<'requestTimeout' | 'headersTimeout' | 'keepAliveTimeout', number> {
  const { requestTimeout = 30_000, headersTimeout = 10_000, idleTimeout = 60_000 } = options;
  return { requestTimeout, headersTimeout: Math.min(headersTimeout, requestTimeout), keepAliveTimeout: idleTimeout };
}

/** Explains why a server cannot listen. */
function explainListening(cause: NodeJS.ErrnoException, host: string, port: number): ToolError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there. Choose another --port, or 0 for any that is free',
    EACCES: 'this user may not. Choose a --port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address. Choose another --host',
  };
  const why = reasons[cause.code ?? ''] ?? cause.message;
  return new ToolError({ code: 'execution_failed', message: `Cannot listen on ${host}:${port}: ${why}.`, cause });
}
