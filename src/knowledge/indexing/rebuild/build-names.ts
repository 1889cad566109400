/** The longest part of a name that is kept: the endings below need room. */
const LONGEST = 119;

/** The collection that is built beside another, until it takes its place; still there after an interruption. */
export function buildName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.next`;
}

/** The collection that was replaced, until everything that must not be lost is out of it. */
export function replacedName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.rebuild`;
}
