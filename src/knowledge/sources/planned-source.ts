import type { SourceScope } from './source-scope.ts';

/** What all sources have. */
export interface CommonSource {
  /** Its name for people: without credentials. */
  readonly name: string;
  readonly scope: SourceScope;
  readonly type: string;
  readonly tags: readonly string[];
  /** Patterns of pages or files to leave out. */
  readonly exclude: readonly string[];
  /** Sent to the origin of the source alone. */
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
  /** An address, or a path from the folder of the config. */
  readonly repository: string;
  readonly isLocal: boolean;
  readonly ref: string | undefined;
  /** A folder or a file in it; empty for all of it. */
  readonly path: string;
  readonly maxBytes: number;
}

/** A source as the settings describe it. */
export type PlannedSource = WebSource | GitSource;
