/** Settings of all sources. */
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

/** A source as planned from the settings. */
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
