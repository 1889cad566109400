import type { JsonRpcId, JsonRpcParams } from '../protocol/json-rpc.ts';
import type { Era } from '../protocol/versions.ts';
import type { ClientCapabilities, Connection } from './connection.ts';
import type { LogLevel } from './log-level.ts';

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
  /** Aborts when the client cancels the request or goes away. */
  readonly signal: AbortSignal;
  /** Sends a message that belongs to this request: progress, log lines, questions. */
  send(text: string): void;
}

/** A result: an object, or the JSON of one that was kept ready. `undefined` where no answer is due. */
export type Answer = Readonly<Record<string, unknown>> | string | undefined;

/** Does what a method asks for. Throws a `RequestError` for requests that make no sense. */
export type MethodHandler = (scope: RequestScope) => Answer | Promise<Answer>;
