// Requests to `pegboard serve --http`, byte for byte where clients would hide it.
import { connect } from 'node:net';
import { once } from 'node:events';

/** A JSON-RPC answer, as far as tests look at it. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Sends a message of the older era. */
export function post(url: string, message: object, headers: object = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

/** Shakes hands, and gives the headers that belong to the session. */
export async function openSession(url: string, headers: object = {}, capabilities: object = {}): Promise<object> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } };
  const response = await post(url, { id: 0, method: 'initialize', params }, headers);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await response.text();
  return { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

/** Sends a stateless request. */
export function modern(
  url: string,
  { method, params = {}, capabilities = {} }: { method: string; params?: object; capabilities?: object },
  headers: object = {},
): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const named = Object.entries(params).find(([key]) => ['name', 'uri', 'taskId'].includes(key));
  const own = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(named === undefined ? {} : { 'mcp-name': String(named[1]) }),
  };
  return post(url, { id: 1, method, params: { ...params, _meta } }, { ...own, ...headers });
}

/** The messages of a response, one by one as they come: events of a stream, or the one object. */
export async function* messagesOf(response: Response): AsyncGenerator<Record<string, unknown>> {
  let text = '';
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const parts = isStream ? text.split('\n\n') : [text];
    text = parts.pop() ?? '';
    for (const part of parts) {
      const data = /^data: (.+)$/m.exec(part)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
  if (!isStream && text !== '') yield JSON.parse(text);
}

/** The answer to a request, whichever way it came; `undefined` when the response ended without one. */
export async function answerOf(response: Response | Promise<Response>): Promise<Answer | undefined> {
  for await (const message of messagesOf(await response)) if ('result' in message || 'error' in message) return message;
  return undefined;
}

/** The text of a call's result. */
export function textOf(answer: Answer | undefined): string {
  const content: unknown = answer?.result?.['content'];
  return Array.isArray(content) ? String(content[0]?.text) : JSON.stringify(answer);
}

/** Sends bytes and gives the status line and all that follows, until the server hangs up. */
export async function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.on('data', (chunk) => (heard += String(chunk)));
  socket.write(text);
  await once(socket, 'close');
  return heard;
}
