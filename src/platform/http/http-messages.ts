import type { EventsEnd, ServerEvent } from './read-events.ts';
import type { StoredOutput } from '../outputs/stored-output.ts';

/** What a response holds, read as its headers say. */
export type HttpBody =
  | { readonly type: 'empty' }
  | { readonly type: 'json'; readonly value: unknown; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'events'; readonly events: readonly ServerEvent[]; readonly end: EventsEnd }
  | { readonly type: 'binary'; readonly base64: string; readonly mimeType: string }
  | {
      /** Bytes over their limit, which are on disk; nowhere when there is no `output`. */
      readonly type: 'kept';
      readonly mimeType: string;
      /** Bytes, where they are known. */
      readonly size: number | undefined;
      readonly output: StoredOutput | undefined;
    };

/** Set when a body was longer than the cap: the bytes that were kept, and all there are where that is known. */
export interface HttpTruncation {
  readonly kept: number;
  readonly total: number | undefined;
}

/** What comes before the body of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** Names are lower case; a header that came more than once has a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** One answer of a server. */
export interface HttpResponse extends AnswerHead {
  /** Origin and path that gave the answer: no credentials, no query. */
  readonly url: string;
  readonly body: HttpBody;
  readonly truncated: HttpTruncation | undefined;
}

/** How a request ended that the server answered, with any status. */
export interface HttpOutcome extends HttpResponse {
  /** True for a status from 200 to 299. */
  readonly ok: boolean;
  /** How many redirects were followed. */
  readonly redirects: number;
  /** How often the request was sent; more than 1 after retries. */
  readonly attempts: number;
  /** Remarks for the caller: a redirect that was not followed, a body that was cut. */
  readonly notices: readonly string[];
}

/** A request ready to be sent: every value is in its place. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute, `http:` or `https:`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}
