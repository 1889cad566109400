/** Returns the entries with a value: other libraries' types do not accept explicit `undefined`. */
export function dropUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // The filter removes what the type excludes.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
