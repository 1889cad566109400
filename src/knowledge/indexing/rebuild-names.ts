/** Leaves room for the ends of the names below. */
const LONGEST = 119;

/** Where notes wait while their collection is made anew: there after an interruption. */
export function rebuildNotesName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.rebuild`;
}

/** What is made for a moment, to see whether it can be. */
export function probeName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.probe`;
}
