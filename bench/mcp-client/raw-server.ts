// A server of the least code, whose path says how it behaves. node raw-server.ts
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Readonly<Record<string, unknown>> };
  readonly result?: { readonly content?: { readonly who?: string } };
}

const TOOL = { name: 'add', description: 'Adds two numbers', inputSchema: { type: 'object' } };
const SERVER = { name: 'raw', version: '1' };
const PAUSE = 20;
/** Questions that wait for an answer, by the id they were asked under. */
const asked = new Map<string, (who: string) => void>();
/** Answers of streams that were cut, by the event after which they go on. */
const cut = new Map<string, string>();
let sessions = 0;
let forgotten = '';
/** The token that is good now; each renewal ends the one before it, and the first is not good for calls. */
let token = 'token-0';
/** The stream of the one client of 2024 at a time. */
let oldest: ServerResponse | undefined;

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => handle(request, response, body));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});

function handle(request: IncomingMessage, response: ServerResponse, body: string): void {
  const path = request.url ?? '';
  if (path.startsWith('/oldest')) return serveOldest(request, response, body);
  if (path.startsWith('/.well-known/')) return json(response, describeLogin(`http://${request.headers.host}`));
  if (path === '/token') return renewToken(response);
  if (request.method === 'GET') return resume(request, response);
  if (request.method === 'DELETE') return void response.writeHead(200).end();
  const message = JSON.parse(body) as Message;
  const isExpired = token === 'token-0' && message.method === 'tools/call';
  if (path === '/login' && (isExpired || request.headers.authorization !== `Bearer ${token}`))
    return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  if (message.method === undefined || message.id === undefined) {
    asked.get(String(message.id))?.(message.result?.content?.who ?? '');
    return void response.writeHead(202).end();
  }
  if (request.headers['mcp-session-id'] === forgotten) return refuseSession(path, response);
  if (message.method !== 'tools/call') {
    const session: Record<string, string> =
      message.method === 'initialize' ? { 'mcp-session-id': `s${++sessions}` } : {};
    if (message.method === 'server/discover' && path !== '/modern')
      return json(
        response,
        { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'unknown' } },
        { status: 404 },
      );
    return json(response, introduce(message), { headers: session });
  }
  call(path, message, { request, response });
}

function call(
  path: string,
  message: Message,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  const { id } = message;
  const { a = 0, b = 0 } = message.params?.arguments ?? {};
  const text = path === '/huge' ? 'x'.repeat(4_000_000) : String(Number(a) + Number(b));
  const answer = toResult(id, { content: [{ type: 'text', text }], ...modern(path) });
  if (['/json', '/modern', '/huge', '/login'].includes(path)) return json(response, answer);
  if (path.startsWith('/expire')) {
    if (forgotten !== '') return json(response, answer);
    forgotten = String(request.headers['mcp-session-id']);
    return refuseSession(path, response);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (path === '/sse') return void response.end(`data: ${JSON.stringify(answer)}\n\n`);
  if (path === '/cut') return void response.end(': nothing more comes\n\n');
  if (path === '/resume') {
    const event = `e${String(id)}`;
    cut.set(event, `data: ${JSON.stringify(answer)}\n\n`);
    return void response.end(`id: ${event}\nretry: ${PAUSE}\ndata: \n\n`);
  }
  if (path === '/endless') return void response.write(`data: ${'x'.repeat(4_000_000)}`);
  // "/ask": the question comes on the stream of the call that it is about.
  const question = `q${String(id)}`;
  asked.set(question, (who) => {
    response.end(`data: ${JSON.stringify(toResult(id, { content: [{ type: 'text', text: who }] }))}\n\n`);
  });
  const params = {
    message: 'Who are you?',
    requestedSchema: { type: 'object', properties: { who: { type: 'string' } } },
  };
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: question, method: 'elicitation/create', params })}\n\n`);
}

/** "/expire" answers as MCP says, "/expire-400" as server-everything does. */
function refuseSession(path: string, response: ServerResponse): void {
  if (path === '/expire') return void response.writeHead(404).end();
  const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
  json(response, { jsonrpc: '2.0', id: null, error }, { status: 400 });
}

function describeLogin(origin: string): unknown {
  return {
    resource: `${origin}/login`,
    authorization_servers: [origin],
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}

function renewToken(response: ServerResponse): void {
  token = `token-${Number(token.slice(6)) + 1}`;
  const answer = { access_token: token, token_type: 'Bearer', refresh_token: 'refresh' };
  setTimeout(() => json(response, answer), PAUSE);
}

function resume(request: IncomingMessage, response: ServerResponse): void {
  const rest = cut.get(String(request.headers['last-event-id']));
  if (rest === undefined) return void response.writeHead(405).end();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(rest);
}

function serveOldest(request: IncomingMessage, response: ServerResponse, body: string): void {
  if (request.url === '/oldest' && request.method !== 'GET') return void response.writeHead(405).end();
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /oldest/post\n\n');
    oldest = response;
    return;
  }
  response.writeHead(202).end();
  const message = JSON.parse(body) as Message;
  if (message.id === undefined) return;
  const { a = 0, b = 0 } = message.params?.arguments ?? {};
  const content = [{ type: 'text', text: String(Number(a) + Number(b)) }];
  const answer = message.method === 'tools/call' ? toResult(message.id, { content }) : introduce(message);
  oldest?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
}

function introduce({ id, method }: Message): unknown {
  if (method === 'tools/list') return toResult(id, { tools: [TOOL], ...modern('/modern') });
  const known = { capabilities: { tools: {} } };
  if (method === 'server/discover') {
    const _meta = { 'io.modelcontextprotocol/serverInfo': SERVER };
    return toResult(id, { ...known, ...modern('/modern'), supportedVersions: ['2026-07-28'], _meta });
  }
  return toResult(id, { ...known, protocolVersion: '2025-11-25', serverInfo: SERVER });
}

/** Fields that the newer revision requires in every result. */
function modern(path: string): Readonly<Record<string, unknown>> {
  return path === '/modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
}

function toResult(id: unknown, result: unknown): unknown {
  return { jsonrpc: '2.0', id, result };
}

function json(
  response: ServerResponse,
  value: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Record<string, string> } = {},
): void {
  const text = JSON.stringify(value);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers }).end(text);
}
