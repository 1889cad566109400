/** The longest part of a name that is kept, to leave room for the endings below. */
const LONGEST = 119;

/** Returns the name of the collection being built, until it replaces the old one. */
export function buildName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.next`;
}

/** Returns the name of the replaced collection, until its notes are saved. */
export function replacedName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.rebuild`;
}
