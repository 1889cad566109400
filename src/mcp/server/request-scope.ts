import type { Cancellation } from '../../tool/calls/cancellation.ts';
import type { JsonRpcId, JsonRpcParams } from '../protocol/json-rpc.ts';
import type { Era, LogLevel } from '../protocol/mcp-names.ts';
import type { ClientCapabilities, Connection } from './connection.ts';

/** A request under way, with all that its method may need. */
export interface RequestScope {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: JsonRpcParams;
  readonly era: Era;
  readonly connection: Connection;
  readonly capabilities: ClientCapabilities;
  /** The log lines that the client wants with this request; none when `undefined`. */
  readonly logLevel: LogLevel | undefined;
  /** Aborts when the client cancels the request or goes away; made on first use. */
  readonly signal: AbortSignal;
  /** The same for what every call runs through. */
  readonly cancellation: Cancellation;
  /** Sends a message that belongs to this request: progress, log lines, questions. */
  send(text: string): void;
}

/** A request as the server opens it. */
export class OpenRequest implements RequestScope {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: JsonRpcParams;
  readonly era: Era;
  readonly connection: Connection;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LogLevel | undefined;
  readonly cancellation: Cancellation;
  /** True once it was answered. */
  isOver = false;
  readonly #way: Pick<RequestScope, 'connection' | 'send'>;

  /** `way` leads back to the client. */
  constructor(
    parts: Omit<RequestScope, 'connection' | 'send' | 'signal'>,
    way: Pick<RequestScope, 'connection' | 'send'>,
  ) {
    this.id = parts.id;
    this.method = parts.method;
    this.params = parts.params;
    this.era = parts.era;
    this.connection = way.connection;
    this.capabilities = parts.capabilities;
    this.logLevel = parts.logLevel;
    this.cancellation = parts.cancellation;
    this.#way = way;
  }

  get signal(): AbortSignal {
    return this.cancellation.toSignal();
  }

  send(text: string): void {
    // Messages of a task after the answer to its call belong to no request.
    if (!this.cancellation.aborted && !this.isOver) this.#way.send(text);
  }
}

/** A result: an object, or the JSON of one that was kept ready. `undefined` where no answer is due. */
export type Answer = Readonly<Record<string, unknown>> | string | undefined;

/** Does what a method asks for. Throws a `RequestError` for requests that make no sense. */
export type MethodHandler = (scope: RequestScope) => Answer | Promise<Answer>;
