import type { SourceRecords } from './source-records.ts';
import type { HttpClient } from '../../platform/http/http-client.ts';
import type { KnownDocument } from '../indexing/known-files.ts';
import type { GitSource, WebSource } from './planned-source.ts';

/** The result for one document of a source. */
export type SourceItem =
  /** Content that may have changed. */
  | {
      readonly type: 'loaded';
      readonly id: string;
      /** Its extension determines the format. */
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly stamp: string | undefined;
    }
  | { readonly type: 'unchanged'; readonly id: string }
  | {
      readonly type: 'skipped';
      readonly id: string;
      readonly reason: string;
      /** True if it could not be read: its document stays. */
      readonly isUnknown: boolean;
    };

/** The end of reading a source. */
export interface SourceEnd {
  /** True if all of it was read, so that anything missing is gone. */
  readonly isComplete: boolean;
  readonly notes: readonly string[];
  /** Called with the documents of the source once all are written. */
  readonly remember?: (documents: readonly string[]) => Promise<void>;
}

/** The state before a source is read. */
export interface SourceReading {
  readonly known: ReadonlyMap<string, KnownDocument>;
  /** Settings that, together with the content, determine how a document is indexed. */
  readonly settings: readonly (string | number)[];
  readonly signal: AbortSignal | undefined;
}

/** Resources for sources. */
export interface SourceResources {
  /** The folder that relative paths start from. */
  readonly base: string;
  /** The folder for fetched data. Default: a temporary folder of the system. */
  readonly data: string | undefined;
  /** Returns a client that may reach these hosts in addition to the public internet. */
  httpClient(allowHosts: readonly string[]): HttpClient;
  /** State kept between runs, so that only changes are fetched. */
  readonly records: SourceRecords;
}

export interface OpenedSource {
  readonly plan: WebSource | GitSource;
  read(reading: SourceReading): AsyncGenerator<SourceItem, SourceEnd>;
}
