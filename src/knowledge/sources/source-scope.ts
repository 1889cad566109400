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
