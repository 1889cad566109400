import type { EventsEnd, ServerEvent } from './read-events.ts';
import type { StoredOutput } from '../outputs/output-writer.ts';

/** A response body, decoded by its headers. */
export type HttpBody =
  | { readonly type: 'empty' }
  | { readonly type: 'json'; readonly value: unknown; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'events'; readonly events: readonly ServerEvent[]; readonly end: EventsEnd }
  | { readonly type: 'binary'; readonly base64: string; readonly mimeType: string }
  | {
      /** A body over its limit, stored on disk as `output`; dropped when `output` is undefined. */
      readonly type: 'kept';
      readonly mimeType: string;
      /** Size in bytes, if known. */
      readonly size: number | undefined;
      readonly output: StoredOutput | undefined;
    };

/** Set when a body exceeded its limit: the bytes kept, and the total if known. */
export interface HttpTruncation {
  readonly kept: number;
  readonly total: number | undefined;
}

/** The status and headers of a response. */
export interface AnswerHead {
  readonly status: number;
  /** Names are lower case; a repeated header has a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface HttpResponse extends AnswerHead {
  /** Origin and path of the answering server, without credentials and query. */
  readonly url: string;
  readonly body: HttpBody;
  readonly truncated: HttpTruncation | undefined;
}

/** The result of a request that the server answered, with any status. */
export interface HttpOutcome extends HttpResponse {
  /** True for a status from 200 to 299. */
  readonly ok: boolean;
  /** Number of redirects followed. */
  readonly redirects: number;
  /** Number of times the request was sent. */
  readonly attempts: number;
  /** Remarks for the caller, for example about a redirect not followed or a truncated body. */
  readonly notices: readonly string[];
}

/** A request with all its values filled in. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute, `http:` or `https:`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** Returns the value of a header: the first of several, or an empty text. */
export function readHeader(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** Reads a whole body as text; `undefined` when it exceeds `limit` bytes. */
export async function readText(body: AsyncIterable<unknown>, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
