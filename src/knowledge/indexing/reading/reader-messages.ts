import type { Chunk } from '../../chunking/chunk.ts';
import type { CutDocument, DocumentOrder } from './cut-document.ts';

/** The limits for one document in the reader's process. */
export interface ReaderLimits {
  /** Bytes of memory for the whole process. */
  readonly memory: number;
  /** Seconds of processor time for any document. */
  readonly seconds: number;
  readonly secondsPerMegabyte: number;
}

/** An exceeded limit; the process prints its name before it ends. */
export type ReaderLimit = 'memory' | 'time';

/** Parts of a `DocumentOrder`: its size, then its bytes, so that neither process holds copies of all of them. */
export type ReaderOrder =
  | ({ readonly type: 'start'; readonly size: number } & Omit<DocumentOrder, 'bytes'>)
  | { readonly type: 'bytes'; readonly bytes: Uint8Array };

/** Parts of an answer: chunks in small messages, then the end. */
export type ReaderAnswer =
  | { readonly type: 'chunks'; readonly chunks: readonly Chunk[] }
  | { readonly type: 'end'; readonly result: CutDocument };

/** The start-up data of the watchdog. */
export interface WatchdogStart {
  /** The number of the current document, or 0; then its limit in seconds. */
  readonly state: Int32Array<SharedArrayBuffer>;
  readonly memory: number;
  /** The process that started the reader; the reader ends with it. */
  readonly parent: number;
}
