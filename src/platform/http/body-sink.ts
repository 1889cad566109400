import type { OutputWriter } from '../outputs/output-writer.ts';
import { createEventReader, type EventsEnd, type ServerEvent } from './read-events.ts';
import { type AnswerHead, type HttpBody, type HttpTruncation, readHeader } from './http-messages.ts';
import { isUtf8 } from 'node:buffer';

/** Receives the decompressed body of one response as it arrives. */
export interface BodySink {
  /** Takes the next bytes. A returned promise makes the server wait until it settles. */
  add(chunk: Buffer): Promise<void> | undefined;
  /** True when no more bytes are needed. */
  readonly isFull: boolean;
  /** Settles when the sink fills up without receiving further bytes. */
  readonly ended?: Promise<void>;
  /** Returns true when the bytes received before the connection broke can serve as the answer. */
  salvage?(): boolean;
  /** Returns the body that was stored. */
  finish(): SunkBody | Promise<SunkBody>;
  /** Drops everything after a failed request. */
  discard(): void;
}

export interface SunkBody {
  readonly body: HttpBody;
  readonly truncated: HttpTruncation | undefined;
}

/** Limits for images, archives and other binary bodies. */
export interface MediaLimits {
  /** Bytes that stay in the response itself. */
  readonly maxBytes: number;
  /** Opens an output that stores a larger body on disk. Without it, such a body is dropped. */
  readonly keep: (() => OutputWriter) | undefined;
}

export interface SinkLimits {
  /** Bytes of text, and of any body when `media` is not set. */
  readonly maxBytes: number;
  readonly media?: MediaLimits | undefined;
}

/** Bytes of one body that are written to disk: the limit for stored outputs. */
const MAX_KEPT = 1024 ** 3;

/** Creates the sink for a response body: text is cut at a limit, binary bodies are kept whole, on disk when large. */
export function createBodySink(head: AnswerHead, { maxBytes, media }: SinkLimits): BodySink {
  const contentType = readHeader(head.headers, 'content-type');
  const isSuccess = head.status >= 200 && head.status < 300;
  const mimeType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const chunks: Buffer[] = [];
  let size = 0;
  let isFull = false;
  let isMedia = media !== undefined && isSuccess && mimeType !== '' && !isTextType(mimeType);
  let writer: OutputWriter | undefined;

  const keepWhole = (): OutputWriter | undefined => {
    const opened = media?.keep?.();
    const held = chunks.splice(0);
    if (opened?.id === undefined) return undefined;
    for (const chunk of held) opened.write(chunk);
    return opened;
  };
  return {
    get isFull() {
      return isFull;
    },
    add(chunk) {
      // The server sent no content type: only binary data contains NUL.
      if (size === 0 && mimeType === '' && media !== undefined && isSuccess) isMedia = chunk.includes(0);
      size += chunk.length;
      if (writer !== undefined) {
        isFull = size > MAX_KEPT;
        return writer.write(chunk) ? undefined : writer.drained();
      }
      chunks.push(chunk);
      if (size <= (isMedia && media !== undefined ? media.maxBytes : maxBytes)) return undefined;
      if (isMedia) writer = keepWhole();
      isFull = writer === undefined;
      return undefined;
    },
    finish() {
      if (isMedia && (writer !== undefined || isFull)) {
        const type = mimeType || 'application/octet-stream';
        const total = readTotal(head) ?? (isFull ? undefined : size);
        const left = { type: 'kept', mimeType: type, size: total, output: undefined } as const;
        // A partial file is useless.
        if (isFull) writer?.discard();
        if (writer === undefined || isFull) return { body: left, truncated: undefined };
        return writer.end().then((output) => ({ body: { ...left, output }, truncated: undefined }));
      }
      const [first] = chunks;
      const bytes = isFull
        ? Buffer.concat(chunks, maxBytes)
        : chunks.length === 1 && first !== undefined
          ? first
          : Buffer.concat(chunks, size);
      const body = decodeBody(bytes, contentType, isFull);
      return { body, truncated: isFull ? { kept: bytes.length, total: readTotal(head) } : undefined };
    },
    discard() {
      chunks.length = 0;
      writer?.discard();
    },
  };
}

/** Reads the body's length from the headers. A compressed body's length says nothing about its content. */
function readTotal({ headers }: AnswerHead): number | undefined {
  if (readHeader(headers, 'content-encoding') !== '') return undefined;
  const total = Number(readHeader(headers, 'content-length') || Number.NaN);
  return Number.isSafeInteger(total) ? total : undefined;
}

const JSON_TYPE = /^(?:application|text)\/(?:json|[\w.!#$&^-]+\+json)$/;
const TEXT_TYPE =
  /^text\/|[/+](?:xml|yaml|x-yaml|javascript|ecmascript|graphql|csv|x-ndjson|jsonl|json-seq|x-www-form-urlencoded|toml|sql|x-sh)$/;

/** Returns true for a text media type, given in lower case and without parameters. */
function isTextType(mimeType: string): boolean {
  return JSON_TYPE.test(mimeType) || TEXT_TYPE.test(mimeType);
}

/** Decodes bytes by their `Content-Type`: JSON to a value, text by its charset, anything else to base64. */
function decodeBody(bytes: Buffer, contentType: string, isCut: boolean): HttpBody {
  if (bytes.length === 0) return { type: 'empty' };
  const mimeType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isJson = JSON_TYPE.test(mimeType);
  const isText = isTextType(mimeType) || (mimeType === '' && looksLikeText(bytes, isCut));
  if (!isText)
    return { type: 'binary', base64: bytes.toString('base64'), mimeType: mimeType || 'application/octet-stream' };
  const text = decodeText(bytes, readCharset(contentType), isCut);
  return isJson && !isCut ? parseBody(text) : { type: 'text', text };
}

/** Parses a text as JSON; invalid JSON stays text. */
export function parseBody(text: string): HttpBody {
  try {
    const value: unknown = JSON.parse(text);
    return { type: 'json', value, text };
  } catch {
    return { type: 'text', text };
  }
}

/** Replaces undecodable bytes with U+FFFD and drops a character that the limit cut in two. */
function decodeText(bytes: Buffer, charset: string, isCut: boolean): string {
  try {
    return new TextDecoder(charset).decode(bytes, { stream: isCut });
  } catch {
    // The charset is unknown: most likely it is UTF-8.
    return new TextDecoder().decode(bytes, { stream: isCut });
  }
}

function readCharset(contentType: string): string {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
}

function looksLikeText(bytes: Buffer, isCut: boolean): boolean {
  if (bytes.subarray(0, 4096).includes(0)) return false;
  // The limit may have cut the last character in two.
  return isUtf8(bytes) || (isCut && [1, 2, 3].some((count) => isUtf8(bytes.subarray(0, -count))));
}

/** Options for collecting server-sent events. */
export interface EventOptions {
  /** The name or the data of the last event. An event with this data is not included. */
  readonly until: string;
  /** Maximum number of events. */
  readonly limit: number;
  /** Milliseconds after which the events so far are the answer. Default: the request's timeout. */
  readonly time?: number | undefined;
  /** Called for each event with the number of events so far. */
  readonly onEvent: (event: ServerEvent, count: number) => void;
}

/** Collects server-sent events until their end. Events received before a connection breaks are kept. */
export function createEventSink({ until, limit, time, onEvent }: EventOptions, maxBytes: number): BodySink {
  const events: ServerEvent[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let end: EventsEnd | undefined;
  let size = 0;
  const close = (why: EventsEnd): void => {
    end ??= why;
    clearTimeout(timer);
    resolve();
  };
  const timer = time === undefined ? undefined : setTimeout(() => close('time'), time);
  let id = '';
  const read = createEventReader(({ event: name, data, id: given }) => {
    // A server sends an id once; it applies to all later events.
    id = given ?? id;
    if (end !== undefined || data === undefined) return;
    const event = { event: name, data, id };
    size += event.data.length + event.event.length + event.id.length;
    if (event.data === until) return close('done');
    if (size > maxBytes) return close('limit');
    events.push(event);
    onEvent(event, events.length);
    if (event.event === until) close('done');
    else if (events.length >= limit) close('limit');
  }, maxBytes);
  return {
    get isFull() {
      return end !== undefined;
    },
    ended,
    add(chunk) {
      if (end === undefined && !read(chunk)) close('limit');
      return undefined;
    },
    salvage() {
      if (events.length === 0) return false;
      close('broken');
      return true;
    },
    finish(): SunkBody {
      const why = end ?? 'closed';
      close(why);
      return { body: { type: 'events', events, end: why }, truncated: undefined };
    },
    discard: () => close('broken'),
  };
}
