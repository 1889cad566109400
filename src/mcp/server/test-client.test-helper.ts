import { parseMessage } from '../protocol/json-rpc.ts';
import { META } from '../protocol/mcp-names.ts';
import { LOCAL_USER, type Caller } from './caller.ts';
import { type Connection, Failure } from './connection.ts';
import type { McpServer } from './mcp-server.ts';

/** A client in the same process: sends messages as text and keeps what comes back beside the answers. */
export class TestClient {
  readonly connection: Connection;
  /** Messages besides the answers. */
  readonly received: Record<string, unknown>[] = [];
  /** Called with each of them. */
  onMessage: ((message: Record<string, unknown>) => void) | undefined;
  #id = 0;

  constructor(server: McpServer, caller: Caller = LOCAL_USER) {
    this.connection = server.connect(caller);
    this.connection.notify = (text) => this.#take(text);
  }

  /** Shakes hands, as a client that can do this. */
  async initialize(capabilities: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const clientInfo = { name: 'test', version: '1' };
    return this.result('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
  }

  /** Sends a message and gives the answer: a result or an error. */
  async send(message: unknown): Promise<Record<string, unknown> | undefined> {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    const reply = await this.connection.handle(parseMessage(text), { send: (sent) => this.#take(sent) });
    return reply === undefined ? undefined : JSON.parse(reply instanceof Failure ? reply.text : reply);
  }

  /** Sends a request of the older era. */
  request(method: string, params?: Record<string, unknown>, id: unknown = ++this.#id): ReturnType<TestClient['send']> {
    return this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
  }

  /** Sends a stateless request. */
  modern(
    method: string,
    params: Record<string, unknown> = {},
    capabilities: Record<string, unknown> = {},
  ): ReturnType<TestClient['send']> {
    const given = params['_meta'];
    const _meta = {
      [META.protocolVersion]: '2026-07-28',
      [META.clientCapabilities]: capabilities,
      ...(typeof given === 'object' ? given : {}),
    };
    return this.request(method, { ...params, _meta });
  }

  /** The result of a request of the older era. */
  async result(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>> {
    return resultOf(await this.request(method, params));
  }

  #take(text: string): void {
    const message = JSON.parse(text);
    this.received.push(message);
    this.onMessage?.(message);
  }
}

/** The result in an answer; throws when it is an error. */
export function resultOf(answer: Record<string, unknown> | undefined): Record<string, unknown> {
  if (answer === undefined || !('result' in answer)) throw new Error(`No result: ${JSON.stringify(answer)}`);
  // Every result of the protocol is an object.
  return answer['result'] as Record<string, unknown>;
}
