import type { OutputWriter } from '../outputs/stored-output.ts';
import { decodeBody, isTextType } from './decode-body.ts';
import { type AnswerHead, type HttpBody, type HttpTruncation, readHeader } from './http-messages.ts';

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
