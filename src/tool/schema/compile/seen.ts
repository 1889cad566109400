/** Which parts of an object or array some keyword has looked at: what `unevaluated*` leaves alone. */
export interface Seen {
  allKeys: boolean;
  readonly keys: Set<string>;
  allItems: boolean;
  readonly items: Set<number>;
}

/** Nothing looked at yet. */
export function createSeen(): Seen {
  return { allKeys: false, keys: new Set(), allItems: false, items: new Set() };
}

/** Adds what an alternative that matched has looked at. */
export function mergeSeen(into: Seen, from: Seen): void {
  into.allKeys ||= from.allKeys;
  into.allItems ||= from.allItems;
  for (const key of from.keys) into.keys.add(key);
  for (const index of from.items) into.items.add(index);
}
