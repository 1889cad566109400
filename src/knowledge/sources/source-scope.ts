/** Which documents of a collection are of a source. */
export interface SourceScope {
  /** One document by its name. */
  readonly start: string;
  /** What the names of the others begin with. */
  readonly below?: string | undefined;
}

/** Whether a document is of a source. */
export function isOf({ start, below }: SourceScope, id: string): boolean {
  return id === start || (below !== undefined && (id.startsWith(below) || id === below.slice(0, -1)));
}
