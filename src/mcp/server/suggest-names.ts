/** Names that a half-written one may become: those that begin with it, then those that have it in them. */
export function suggestNames(names: readonly string[], written: string): string[] {
  const wanted = written.toLowerCase();
  const starting = names.filter((name) => name.toLowerCase().startsWith(wanted));
  const holding = names.filter((name) => name.toLowerCase().includes(wanted) && !starting.includes(name));
  return [...starting, ...holding];
}
