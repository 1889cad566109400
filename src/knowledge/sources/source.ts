import type { SourceRecords } from './source-records.ts';
import type { HttpClient } from '../../platform/http/http-client.ts';
import type { KnownDocument } from '../indexing/known-files.ts';
import type { GitSource, WebSource } from './planned-source.ts';

/** What a source gave for one document. */
export type SourceItem =
  /** Content that may have changed. */
  | {
      readonly type: 'loaded';
      readonly id: string;
      /** A name that says what format it has. */
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly stamp: string | undefined;
    }
  | { readonly type: 'unchanged'; readonly id: string }
  | {
      readonly type: 'skipped';
      readonly id: string;
      readonly reason: string;
      /** Whether it could not be read: its document stays. */
      readonly isUnknown: boolean;
    };

/** How the reading of a source ended. */
export interface SourceEnd {
  /** Whether all of it was seen: what was not is gone. */
  readonly isComplete: boolean;
  readonly notes: readonly string[];
  /** Called with the documents of the source once all are written. */
  readonly remember?: (documents: readonly string[]) => Promise<void>;
}

/** What is known before a source is read. */
export interface SourceReading {
  readonly known: ReadonlyMap<string, KnownDocument>;
  /** Settings that, besides the content, decide how a document is indexed. */
  readonly settings: readonly (string | number)[];
  readonly signal: AbortSignal | undefined;
}

/** What sources may use. */
export interface SourceResources {
  /** The folder that relative paths start from. */
  readonly base: string;
  /** The folder for what is fetched; without it one of the system's that is deleted at the end. */
  readonly data: string | undefined;
  /** A client that may reach these hosts besides the public internet. */
  httpClient(allowHosts: readonly string[]): HttpClient;
  /** What is remembered between runs, so that only what changed is fetched. */
  readonly records: SourceRecords;
}

/** A source that is being read. */
export interface OpenedSource {
  readonly plan: WebSource | GitSource;
  read(reading: SourceReading): AsyncGenerator<SourceItem, SourceEnd>;
}
