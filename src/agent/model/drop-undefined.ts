/** The entries that have a value: other people's types tell a missing entry from one that is `undefined`. */
export function dropUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Entries that are `undefined` are left out, which is what the type says.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
