import type { OutputWriter } from '../outputs/stored-output.ts';
import { decodeBody, isTextType } from './decode-body.ts';
import type { AnswerHead, HttpBody, HttpTruncation } from './http-messages.ts';
import { readHeader } from './read-header.ts';

/** Takes the body of one answer as it comes, decompressed. */
export interface BodySink {
  /** Takes the next bytes. A promise asks the server to wait until it settles. */
  add(chunk: Buffer): Promise<void> | undefined;
  /** True when no more bytes are wanted. */
  readonly isFull: boolean;
  /** Settles when the sink is full without further bytes. */
  readonly ended?: Promise<void>;
  /** Whether what came before the connection broke is an answer. */
  salvage?(): boolean;
  /** What was kept. */
  finish(): SunkBody | Promise<SunkBody>;
  /** Lets go of everything: the request failed. */
  discard(): void;
}

/** What is left of a body. */
export interface SunkBody {
  readonly body: HttpBody;
  readonly truncated: HttpTruncation | undefined;
}

/** How pictures, archives and other bytes that are no text are taken. */
export interface MediaLimits {
  /** Bytes that stay in the answer itself. */
  readonly maxBytes: number;
  /** Opens a place for the whole of a larger body; without one such a body is left out. */
  readonly keep: (() => OutputWriter) | undefined;
}

/** How much is taken. */
export interface SinkLimits {
  /** Bytes of text, and of everything where `media` says nothing. */
  readonly maxBytes: number;
  readonly media?: MediaLimits | undefined;
}

/** Bytes of one body that are written to disk: as much as an output may have. */
const MAX_KEPT = 1024 ** 3;

/** Makes what takes the body of an answer: text up to a cap, other bytes whole, on disk where they are many. */
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
      // A server that does not say what it sends: text has no NUL.
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
        // Part of a file is no file.
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

/** How long a server says that a body is; of a compressed one that says nothing. */
function readTotal({ headers }: AnswerHead): number | undefined {
  if (readHeader(headers, 'content-encoding') !== '') return undefined;
  const total = Number(readHeader(headers, 'content-length') || Number.NaN);
  return Number.isSafeInteger(total) ? total : undefined;
}
