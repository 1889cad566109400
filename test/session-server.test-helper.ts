// A server of 2025-11-25 with sessions over HTTP, which forgets them and refuses the forgotten ones as it is told.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The answer to a request of an unknown session. */
export interface SessionRefusal {
  readonly status: number;
  readonly body?: unknown;
}

/** A request that the server takes. */
interface SessionRequest {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly session: string;
}

type Handler = (request: SessionRequest, response: ServerResponse) => unknown;

/** The server, and what it saw. */
export interface SessionServer {
  readonly url: string;
  /** Sessions that were opened so far. */
  readonly opened: readonly string[];
  /** The methods of the requests that were taken, with those that are none of the protocol's own greeting. */
  readonly taken: readonly string[];
  /** Requests that were refused for their session. */
  readonly refused: readonly string[];
  /** The tools that `tools/list` returns. */
  tools: readonly object[];
  /** Forgets all sessions and ends their streams. Refusals wait until this many came. */
  forget(refusals?: number): void;
  /** Says something on every stream that is open. */
  tell(message: object): void;
  /** Settles when a client opens a stream. */
  nextStream(): Promise<void>;
}

/** Serves on loopback until the test is over. `handle` answers `tools/call` and what else is not listed above. */
export async function serveSessions(
  refusal: SessionRefusal,
  { handle = answerHello, hasStream = true }: { readonly handle?: Handler; readonly hasStream?: boolean } = {},
): Promise<SessionServer> {
  const known = new Set<string>();
  const opened: string[] = [];
  const taken: string[] = [];
  const refused: string[] = [];
  const streams = new Set<ServerResponse>();
  let waiting: (() => void)[] = [];
  let expected = 0;
  let onStream = Promise.withResolvers<void>();
  const refuse = (method: string, response: ServerResponse): void => {
    refused.push(method);
    waiting.push(() => {
      const { status, body } = refusal;
      const isJson = typeof body === 'object';
      response.writeHead(status, isJson ? { 'content-type': 'application/json' } : {});
      response.end(isJson ? JSON.stringify(body) : body);
    });
    if (method !== 'GET' && refused.length < expected) return;
    for (const send of waiting) send();
    waiting = [];
  };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const session = request.headers['mcp-session-id'];
    if (request.method === 'GET') {
      if (!hasStream) return response.writeHead(405).end();
      if (!known.has(String(session))) return refuse('GET', response);
      streams.add(response.writeHead(200, { 'content-type': 'text/event-stream' }));
      response.flushHeaders();
      onStream.resolve();
      onStream = Promise.withResolvers();
      return undefined;
    }
    if (request.method === 'DELETE') return response.writeHead(known.delete(String(session)) ? 204 : 404).end();
    const { id, method, params } = await readJson(request);
    if (method === 'initialize') {
      const made = `session-${opened.length + 1}`;
      opened.push(made);
      known.add(made);
      const info = { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo: {} };
      response.setHeader('mcp-session-id', made);
      return answerJson(response, id, info);
    }
    // A server of that revision knows no method of the next.
    if (session === undefined) return response.writeHead(400).end('Bad Request');
    if (!known.has(String(session))) return refuse(String(method), response);
    if (id === undefined) return response.writeHead(202).end();
    taken.push(String(method));
    if (method === 'tools/list') return answerJson(response, id, { tools: server.tools });
    return handle(
      // The clients of these tests send such requests.
      { id: Number(id), method: String(method), params: params as SessionRequest['params'], session: String(session) },
      response,
    );
  };
  const listener = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const server: SessionServer = {
    // It listens on a port, so its address is one.
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
    opened,
    taken,
    refused,
    tools: [{ name: 'hello', inputSchema: { type: 'object' } }],
    forget: (refusals = 0) => {
      known.clear();
      expected = refused.length + refusals;
      for (const stream of streams) stream.end();
      streams.clear();
    },
    tell: (message) => {
      for (const stream of streams) stream.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    nextStream: () => onStream.promise,
  };
  return server;
}

/** Answers a request with a result. */
export function answerJson(response: ServerResponse, id: unknown, result: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const answerHello: Handler = ({ id }, response) =>
  answerJson(response, id, { content: [{ type: 'text', text: 'hello' }] });

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}
