import type { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { measureJson } from '../../tool/input-limits.ts';
import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** The id of a request; its answer carries the same id. */
export type JsonRpcId = string | number;

/** Named values of a request or notification. */
export type JsonRpcParams = Readonly<Record<string, unknown>>;

/** The error in an answer. */
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A received message, classified and checked. */
export type IncomingMessage =
  | {
      readonly type: 'request';
      readonly id: JsonRpcId;
      readonly method: string;
      readonly params: JsonRpcParams | undefined;
    }
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonRpcParams | undefined }
  | { readonly type: 'result'; readonly id: JsonRpcId; readonly result: unknown }
  | { readonly type: 'error'; readonly id: JsonRpcId | undefined; readonly error: JsonRpcError }
  | { readonly type: 'invalid'; readonly id: JsonRpcId | undefined; readonly error: JsonRpcError };

/** Codes of JSON-RPC 2.0 and of MCP. */
export const ERROR_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** 2025-11-25 and before: no such resource, session or task. */
  legacyNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
  /** A person has to open a page before the call can continue. */
  urlElicitationRequired: -32042,
} as const;

/** Recognizes errors of every copy of this package: a program and the command line that serves it may each have one. */
const REQUEST_ERROR = Symbol.for('pegboard.RequestError');

/** An error that is the answer to a request. */
export class RequestError extends Error {
  readonly [REQUEST_ERROR] = true;
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
    this.data = data;
  }

  /** Recognizes errors of other copies of this package too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && REQUEST_ERROR in value;
  }
}

/** Creates the error for unusable params. */
export function invalidParams(message: string): RequestError {
  return new RequestError(ERROR_CODES.invalidParams, message);
}

/** Parses a message unless it has more than `values` values. Never throws. */
export function parseMessage(text: string, values = Infinity): IncomingMessage {
  let value: unknown;
  if (measureJson(text, { values }) !== undefined)
    return invalid(findId(text.slice(0, PEEK), text.slice(-PEEK)), ERROR_CODES.invalidParams, tooManyValues(values));
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error);
    return invalid(undefined, ERROR_CODES.parseError, `The message is not JSON: ${reason}`);
  }
  return readMessage(value);
}

function readMessage(value: unknown): IncomingMessage {
  if (!isPlainObject(value)) {
    const what = Array.isArray(value) ? 'a batch; send each message by itself' : 'no object';
    return invalid(undefined, ERROR_CODES.invalidRequest, `A message is one JSON object; this is ${what}.`);
  }
  const { jsonrpc, id, method, params } = value;
  const known = isId(id) ? id : undefined;
  if (jsonrpc !== '2.0') return invalid(known, ERROR_CODES.invalidRequest, 'A message has "jsonrpc": "2.0".');
  if (method === undefined) return readResponse(value, known);
  if (typeof method !== 'string') return invalid(known, ERROR_CODES.invalidRequest, '"method" is a string.');
  if (params !== undefined && !isPlainObject(params))
    return invalid(known, ERROR_CODES.invalidParams, `"params" of ${method} is an object.`);
  if (id === undefined) return { type: 'notification', method, params };
  if (known === undefined) return invalid(undefined, ERROR_CODES.invalidRequest, '"id" is a string or a number.');
  return { type: 'request', id: known, method, params };
}

function readResponse(value: JsonRpcParams, id: JsonRpcId | undefined): IncomingMessage {
  const { error } = value;
  if (isPlainObject(error)) {
    const { code, message, data } = error;
    // A value in place of a text may be an object that cannot be converted.
    const read = {
      code: typeof code === 'number' ? code : ERROR_CODES.internalError,
      message: typeof message === 'string' ? message : 'An error without a message.',
      ...(data === undefined ? {} : { data }),
    };
    return { type: 'error', id, error: read };
  }
  if (id === undefined || !('result' in value)) {
    return invalid(
      id,
      ERROR_CODES.invalidRequest,
      'A message has a "method", or an "id" with a "result" or an "error".',
    );
  }
  return { type: 'result', id, result: value['result'] };
}

function isId(id: unknown): id is JsonRpcId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

function invalid(id: JsonRpcId | undefined, code: number, message: string): IncomingMessage {
  return { type: 'invalid', id, error: { code, message } };
}

/** Formats an answer from the JSON of its result. */
export function formatResult(id: JsonRpcId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${formatId(id)},"result":${resultJson}}`;
}

/** Formats an error, without an id if none could be read. */
export function formatError(id: JsonRpcId | undefined, { code, message, data }: JsonRpcError): string {
  const error = JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) });
  return `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${formatId(id)},`}"error":${error}}`;
}

export function formatNotification(method: string, params?: JsonRpcParams): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
}

export function formatRequest(id: JsonRpcId, method: string, params?: JsonRpcParams): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
}

function formatId(id: JsonRpcId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id);
}

/** Characters at each end of a message in which its id is searched. */
export const PEEK = 1024;

/** Finds the id of a message of which only the two ends are known. */
export function findId(head: string, tail: string): JsonRpcId | undefined {
  const value = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.){0,200}")`;
  const found =
    new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${value}`).exec(head) ??
    new RegExp(String.raw`${value}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`).exec(tail);
  const [, text] = found ?? [];
  return text === undefined ? undefined : JSON.parse(text);
}

/** Values of a message in addition to the arguments of its call. */
const ENVELOPE = 1_000;

/** Returns the most values of a message to a board: the arguments of a call and their envelope. Empty lists and objects count twice. */
export function messageValues({ maxValues }: Pick<ToolExecutor, 'maxValues'>): number {
  return 2 * maxValues + ENVELOPE;
}

/** Explains why a message with more values is refused. */
export function tooManyValues(values: number): string {
  const most = ((values - ENVELOPE) / 2).toLocaleString('en-US');
  return `The message holds too many values: the arguments of a call may hold ${most} (keys and items). Send fewer, or a path or URL to them.`;
}
