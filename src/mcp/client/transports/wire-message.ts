import type { JsonRpcError, JsonRpcId } from '../../protocol/json-rpc.ts';

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
