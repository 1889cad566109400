import type { SourceScope } from './source-scope.ts';

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
