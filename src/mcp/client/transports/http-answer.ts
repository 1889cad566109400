import { readText } from '../../../platform/http/read-text.ts';
import type { Dispatcher } from 'undici';
import { type JsonObject, isObject } from './wire-message.ts';
import { readFrame } from './frame-reader.ts';
import { isSessionLost } from './session-loss.ts';
import type { TransportFailure } from './transport.ts';

/** A server's answer over HTTP. */
export type HttpAnswer = { readonly session: string | undefined } & (
  | { readonly type: 'message'; readonly message: JsonObject }
  | { readonly type: 'stream'; readonly body: AsyncIterable<unknown> }
  | { readonly type: 'failed'; readonly status: number; readonly failure: TransportFailure }
);

/** Options for reading an answer. */
interface AnswerOptions {
  /** Bytes of it at most. */
  readonly maxFrame: number;
  /** True when the request named a session, which the server may have lost. */
  readonly hasSession?: boolean;
}

const MAX_SHOWN = 300;

/** Reads an answer: a message, a stream to be read by the caller, or what went wrong. */
export async function readAnswer(
  response: Dispatcher.ResponseData,
  { maxFrame, hasSession = false }: AnswerOptions,
): Promise<HttpAnswer> {
  const { statusCode: status, headers, body } = response;
  const session = toText(headers['mcp-session-id']);
  const type = toText(headers['content-type'])?.split(';', 1)[0]?.trim().toLowerCase();
  if (status >= 200 && status < 300 && type === 'text/event-stream') return { type: 'stream', body, session };
  const text = await readText(body, maxFrame);
  if (text === undefined) {
    const message = `it sent an answer of more than ${maxFrame.toLocaleString('en-US')} bytes (max_frame)`;
    return { type: 'failed', status, session, failure: { kind: 'unavailable', message } };
  }
  const message = await readFrame(text);
  const isMessage = isObject(message) && message['jsonrpc'] === '2.0' && ('result' in message || 'error' in message);
  const failure = explainStatus(status, text, headers);
  const refusal = { status, message: isMessage ? message : undefined, text };
  if (hasSession && headers['www-authenticate'] === undefined && isSessionLost(refusal))
    return { type: 'failed', status, session, failure: { ...failure, kind: 'session-expired' } };
  if (isMessage && status !== 401) return { type: 'message', message, session };
  return { type: 'failed', status, session, failure };
}

function explainStatus(
  status: number,
  text: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): TransportFailure {
  if (status === 401 || status === 403) {
    const asked = toText(headers['www-authenticate']);
    const challenge = asked === undefined ? '' : ` (it asks for: ${asked.slice(0, MAX_SHOWN)})`;
    const message = `it answered ${status}${challenge}. Put a token into its headers, such as authorization: 'Bearer \${TOKEN}'`;
    return { kind: 'unauthorized', status, message };
  }
  const location = toText(headers['location']);
  if (status >= 300 && status < 400 && location !== undefined)
    return { kind: 'refused', status, message: `it answered ${status} and points to ${location}. Put that into url` };
  const said = text.trim() === '' ? '' : `: ${text.trim().slice(0, MAX_SHOWN)}`;
  const kind = status >= 500 || status === 429 ? 'unavailable' : 'refused';
  return { kind, status, message: `it answered ${status}${said}` };
}

function toText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/** Explains a request that broke off. */
export function explainError(error: unknown, url: string): TransportFailure {
  const cause = error instanceof Error ? error : new Error(String(error));
  const { host } = new URL(url);
  const code = 'code' in cause ? String(cause.code) : '';
  const reason =
    code === 'ECONNREFUSED'
      ? `${host} refuses connections`
      : code === 'ENOTFOUND'
        ? `${host} cannot be found`
        : cause.message;
  return { kind: 'unavailable', message: reason === '' ? 'The connection was closed.' : reason };
}
