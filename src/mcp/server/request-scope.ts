import type { Cancellation } from '../../tool/calls/cancellation.ts';
import type { JsonRpcId, JsonRpcParams } from '../protocol/json-rpc.ts';
import type { Era, LogLevel } from '../protocol/mcp-names.ts';
import type { ClientCapabilities, Connection } from './connection.ts';

/** A request in progress, with everything that its method may need. */
export interface RequestScope {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: JsonRpcParams;
  readonly era: Era;
  readonly connection: Connection;
  readonly capabilities: ClientCapabilities;
  /** The log level for this request; `undefined` for no log lines. */
  readonly logLevel: LogLevel | undefined;
  /** Aborts when the client cancels the request or disconnects; created on first use. */
  readonly signal: AbortSignal;
  /** The same for calls of tools. */
  readonly cancellation: Cancellation;
  /** Sends a message about this request: progress, log lines, questions. */
  send(text: string): void;
}

export class OpenRequest implements RequestScope {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: JsonRpcParams;
  readonly era: Era;
  readonly connection: Connection;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LogLevel | undefined;
  readonly cancellation: Cancellation;
  /** True after the answer. */
  isOver = false;
  readonly #exchange: Pick<RequestScope, 'send'>;

  constructor(parts: Omit<RequestScope, 'send' | 'signal'>, exchange: Pick<RequestScope, 'send'>) {
    this.id = parts.id;
    this.method = parts.method;
    this.params = parts.params;
    this.era = parts.era;
    this.connection = parts.connection;
    this.capabilities = parts.capabilities;
    this.logLevel = parts.logLevel;
    this.cancellation = parts.cancellation;
    this.#exchange = exchange;
  }

  get signal(): AbortSignal {
    return this.cancellation.toSignal();
  }

  send(text: string): void {
    // After the answer, messages of a task belong to no request.
    if (!this.cancellation.aborted && !this.isOver) this.#exchange.send(text);
  }
}

/** A result: an object or its JSON. `undefined` if no answer is due. */
export type Answer = Readonly<Record<string, unknown>> | string | undefined;

/** Handles a method. Throws a `RequestError` for invalid requests. */
export type MethodHandler = (scope: RequestScope) => Answer | Promise<Answer>;
