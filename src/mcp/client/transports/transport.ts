import type { JsonRpcError, JsonRpcId } from '../../protocol/json-rpc.ts';

/** Why a request got no answer from the server. */
export interface TransportFailure {
  readonly kind:
    /** Nothing answers, or the connection broke. */
    | 'unavailable'
    /** The server has forgotten our session: start another one. */
    | 'session-expired'
    /** It wants credentials, or refuses those it was given. */
    | 'unauthorized'
    /** It answered with an HTTP status that says nothing in MCP's terms. */
    | 'refused';
  readonly message: string;
  readonly status?: number;
  /** The address at which the user logs in, for `unauthorized`. */
  readonly loginUrl?: string | undefined;
}

/** Events of a transport for the peer above it. */
export interface TransportHandlers {
  /** A message came. `origin` is the request on whose own stream it came, where there is one. */
  onMessage(message: JsonObject, origin: number | undefined): void;
  /** One request will never be answered. */
  onFailure(id: number, failure: TransportFailure): void;
  /** The connection is gone, and with it every request. */
  onClose(failure: TransportFailure): void;
  /** The server has forgotten the session. Requests that it took before may still be answered. */
  onSessionLost(): void;
}

/** Further headers of a request, for HTTP. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** A way to a server. */
export interface Transport {
  readonly kind: 'stdio' | 'http' | 'sse';
  /** Sends a message; what becomes of a request is told to the handlers. */
  send(message: OutgoingMessage, headers?: RequestHeaders): void;
  /** Gives a request up: its answer is not waited for any more. */
  cancel(request: OutgoingRequest, reason: string): void;
  /** Sets the agreed version, which later requests carry. */
  agree(agreement: Agreement): void;
  /** `patience` are milliseconds that a process gets to end by itself. */
  close(options?: { readonly patience?: number }): Promise<void>;
}

/** The era and version both sides speak. */
export interface Agreement {
  readonly era: 'legacy' | 'modern';
  readonly version: string;
}

/** Bytes of one message at most, where the config does not say: room for all the pictures and files of a result, and its text. */
export const DEFAULT_MAX_FRAME = 32 * 1024 * 1024;

/** A JSON object whose fields are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A message to a server. */
export type OutgoingMessage =
  | { readonly jsonrpc: '2.0'; readonly id: number; readonly method: string; readonly params?: JsonObject | undefined }
  | { readonly jsonrpc: '2.0'; readonly method: string; readonly params?: JsonObject | undefined }
  | { readonly jsonrpc: '2.0'; readonly id: JsonRpcId; readonly result: JsonObject }
  | {
      readonly jsonrpc: '2.0';
      readonly id: JsonRpcId;
      readonly error: { readonly code: number; readonly message: string };
    };

/** A request of ours on its way out. */
export type OutgoingRequest = Extract<OutgoingMessage, { readonly id: number; readonly method: string }>;

/** Tells a server that the answer to a request is not waited for any more. */
export function cancellation({ id }: OutgoingRequest, reason: string): OutgoingMessage {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } };
}

/** Reads an error that came over the wire, and fills in what is missing. */
export function readRpcError(value: unknown): JsonRpcError {
  const { code, message, data } = isObject(value) ? value : {};
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' && message !== '' ? message : 'no message',
    ...(data === undefined ? {} : { data }),
  };
}

/** Tells an object from everything else JSON has. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
