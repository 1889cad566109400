import type { Chunk } from '../../chunking/chunk.ts';
import type { CutDocument, DocumentOrder } from './cut-document.ts';

/** The limits of one document in the reader's process. */
export interface ReaderLimits {
  /** Bytes of memory that the whole process has. */
  readonly memory: number;
  /** Seconds of processor time for any document. */
  readonly seconds: number;
  /** Seconds more for each megabyte of it. */
  readonly secondsPerMegabyte: number;
}

/** A limit that a document went beyond; the process says its name before it ends. */
export type ReaderLimit = 'memory' | 'time';

/** A `DocumentOrder` on its way to the reader: its size, then its bytes in parts, so that neither process has copies of all of them. */
export type ReaderOrder =
  | ({ readonly type: 'start'; readonly size: number } & Omit<DocumentOrder, 'bytes'>)
  | { readonly type: 'bytes'; readonly bytes: Uint8Array };

/** The answer to a `DocumentOrder`: some chunks after others, so that none takes long to receive, then the end. */
export type ReaderAnswer =
  | { readonly type: 'chunks'; readonly chunks: readonly Chunk[] }
  | { readonly type: 'end'; readonly result: CutDocument };

/** The data that the watchdog is started with. */
export interface WatchdogStart {
  /** The number of the document that is read, 0 for none; then its seconds. */
  readonly state: Int32Array<SharedArrayBuffer>;
  readonly memory: number;
  /** The process that started the reader: without it the reader ends. */
  readonly parent: number;
}
