import type { DocumentType } from './document-type.ts';
import type { OtherRuns } from './indexing/run-scope.ts';
import type { IndexProgress } from './indexing/index-report.ts';

/** What is indexed, and as what. */
export interface IndexOptions {
  /** Where relative paths start; this process's folder unless told. */
  readonly cwd?: string | undefined;
  /** `general` unless told. */
  readonly type?: DocumentType | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Files and folders whose name starts with a dot, too. */
  readonly hidden?: boolean | undefined;
  /** Patterns of files to leave out. */
  readonly exclude?: readonly string[] | undefined;
  /** Reads and writes everything, changed or not. */
  readonly force?: boolean | undefined;
  /** Whether paths may be gone without a fault, as when a run is done again; what was indexed from them is forgotten. */
  readonly canBeGone?: boolean | undefined;
  /** Other runs of this collection: files that several are about stay with the last of them. */
  readonly others?: OtherRuns | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}
