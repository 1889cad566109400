/** The longest part of a name that is kept: the endings below need room. */
const LONGEST = 119;

/** The collection that keeps the notes during a rebuild; it is still there after an interruption. */
export function rebuildNotesName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.rebuild`;
}

/** A collection made for a moment, to see whether the store takes its settings. */
export function probeName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.probe`;
}
