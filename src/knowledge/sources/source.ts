import type { HttpClient } from '../../platform/http/http-client.ts';
import type { KnownDocument } from '../indexing/known-files.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { StoreSpace } from '../../platform/store/board-store.ts';

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

export interface CommonSource {
  /** Its name for people, without credentials. */
  readonly name: string;
  readonly scope: SourceScope;
  readonly type: string;
  readonly tags: readonly string[];
  /** Patterns of pages or files to skip. */
  readonly exclude: readonly string[];
  /** Sent only to the source's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowHosts: readonly string[];
}

/** A site, a page or a sitemap. */
export interface WebSource extends CommonSource {
  readonly kind: 'web';
  readonly url: string;
  readonly isSitemap: boolean;
  readonly depth: number;
  readonly maxPages: number;
  readonly maxBytes: number;
}

/** A repository at a revision. */
export interface GitSource extends CommonSource {
  readonly kind: 'git';
  /** A URL, or a path relative to the folder of the config. */
  readonly repository: string;
  readonly isLocal: boolean;
  readonly ref: string | undefined;
  /** A folder or a file in it; empty for everything. */
  readonly path: string;
  readonly maxBytes: number;
}

export type PlannedSource = WebSource | GitSource;

/** Selects the documents of a source. */
export interface SourceScope {
  /** The name of one document. */
  readonly start: string;
  /** The prefix of the other documents' names. */
  readonly below?: string | undefined;
}

/** Returns true if a document belongs to a source. */
export function isOf({ start, below }: SourceScope, id: string): boolean {
  return id === start || (below !== undefined && (id.startsWith(below) || id === below.slice(0, -1)));
}

/** State kept between runs, in a space of a board's store. */
export type SourceRecords = Pick<StoreSpace, 'get' | 'set' | 'delete'>;

/** Creates records that are kept in memory only. */
export function memoryRecords(): SourceRecords {
  const records = new Map<string, unknown>();
  return {
    get: async (key) => records.get(key),
    set: async (key, value) => void records.set(key, value),
    delete: async (key) => records.delete(key),
  };
}

/** Reads the sources whose documents a collection has. */
export async function readScopes(records: SourceRecords, collection: string): Promise<SourceScope[]> {
  const kept = await records.get(keyOf(collection));
  return Array.isArray(kept) ? kept.flatMap(parseScope) : [];
}

/** Remembers the sources whose documents a collection has. */
export async function rememberScopes(
  records: SourceRecords,
  collection: string,
  scopes: readonly SourceScope[],
): Promise<void> {
  const unique = new Map(scopes.map((scope) => [JSON.stringify(scope), scope]));
  if (unique.size === 0) await records.delete(keyOf(collection));
  else await records.set(keyOf(collection), [...unique.values()]);
}

function keyOf(collection: string): string {
  return `sources of ${collection}`;
}

function parseScope(value: unknown): SourceScope[] {
  if (!isPlainObject(value) || typeof value['start'] !== 'string') return [];
  const { start, below } = value;
  return [{ start, ...(typeof below === 'string' ? { below } : {}) }];
}
