import type { JsonRpcError, JsonRpcId } from '../../protocol/json-rpc.ts';

/** The reason why a request got no answer. */
export interface TransportFailure {
  readonly kind:
    /** No answer, or a broken connection. */
    | 'unavailable'
    /** The server has lost the session; a new one is needed. */
    | 'session-expired'
    /** The server requires credentials, or refuses the given ones. */
    | 'unauthorized'
    /** An HTTP status without meaning in MCP. */
    | 'refused';
  readonly message: string;
  readonly status?: number;
  /** The address at which the user logs in, for `unauthorized`. */
  readonly loginUrl?: string | undefined;
}

/** Events of a transport. */
export interface TransportHandlers {
  /** `origin` is the request on whose stream the message arrived. */
  onMessage(message: JsonObject, origin: number | undefined): void;
  /** The request will never be answered. */
  onFailure(id: number, failure: TransportFailure): void;
  /** The connection is gone with all its requests. */
  onClose(failure: TransportFailure): void;
  /** The server has lost the session. Earlier requests may still be answered. */
  onSessionLost(): void;
}

export type RequestHeaders = Readonly<Record<string, string>>;

/** A connection to a server. */
export interface Transport {
  readonly kind: 'stdio' | 'http' | 'sse';
  /** Sends a message; the handlers receive the outcome of a request. */
  send(message: OutgoingMessage, headers?: RequestHeaders): void;
  /** Abandons a request. */
  cancel(request: OutgoingRequest, reason: string): void;
  /** Sets the agreed version, which later requests carry. */
  agree(agreement: Agreement): void;
  /** `patience`: milliseconds for a process to end by itself. */
  close(options?: { readonly patience?: number }): Promise<void>;
}

/** The era and version of the protocol. */
export interface Agreement {
  readonly era: 'legacy' | 'modern';
  readonly version: string;
}

/** Default of the largest message in bytes: room for a result with all its images and files. */
export const DEFAULT_MAX_FRAME = 32 * 1024 * 1024;

/** A JSON object with unchecked fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type OutgoingMessage =
  | { readonly jsonrpc: '2.0'; readonly id: number; readonly method: string; readonly params?: JsonObject | undefined }
  | { readonly jsonrpc: '2.0'; readonly method: string; readonly params?: JsonObject | undefined }
  | { readonly jsonrpc: '2.0'; readonly id: JsonRpcId; readonly result: JsonObject }
  | {
      readonly jsonrpc: '2.0';
      readonly id: JsonRpcId;
      readonly error: { readonly code: number; readonly message: string };
    };

export type OutgoingRequest = Extract<OutgoingMessage, { readonly id: number; readonly method: string }>;

/** Returns the notification that cancels a request. */
export function cancellation({ id }: OutgoingRequest, reason: string): OutgoingMessage {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } };
}

/** Reads an error and fills in missing fields. */
export function readRpcError(value: unknown): JsonRpcError {
  const { code, message, data } = isObject(value) ? value : {};
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' && message !== '' ? message : 'no message',
    ...(data === undefined ? {} : { data }),
  };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
