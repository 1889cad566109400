import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { createEgressPolicy } from './egress.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from './http-client.ts';

/** A request as received. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query, not decoded. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Answers one request after its body has arrived. */
export type Answer = (request: SeenRequest, response: ServerResponse, count: number) => void;

/** A server on this machine that records its requests. */
export interface LoopbackServer {
  readonly origin: string;
  readonly port: number;
  readonly seen: readonly SeenRequest[];
  /** Returns the number of connections. */
  connections(): number;
}

/** Starts a server that is stopped when the test ends. */
export async function startServer(answer: Answer): Promise<LoopbackServer> {
  const seen: SeenRequest[] = [];
  let connections = 0;
  const listener: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url: target = '', headers } = incoming;
      const request = { method, target, headers, body: Buffer.concat(chunks) };
      seen.push(request);
      answer(request, response, seen.length);
    });
  };
  const server = createServer(listener);
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { origin: `http://127.0.0.1:${port}`, port, seen, connections: () => connections };
}

/** A client that may reach this machine, closed when the test ends. */
export function openClient(
  options: Partial<HttpClientOptions> & { readonly allow?: readonly string[] } = {},
): HttpClient {
  const { allow = ['127.0.0.0/8'], ...rest } = options;
  const client = createHttpClient({ egress: createEgressPolicy({ allow }), ...rest });
  onTestFinished(() => client.close());
  return client;
}
