/** How many values a tree has when each reference to a shared part counts as a copy; stops a little above the limit. */
export function measureExpanded(root: unknown, limit: number): number {
  const known = new Map<object, number>();
  const measure = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const before = known.get(value);
    if (before !== undefined) return before;
    // While it is being measured it counts as endless: a value that contains itself is refused.
    known.set(value, Infinity);
    let size = 1;
    for (const item of Object.values(value)) {
      size += measure(item);
      if (size > limit) break;
    }
    known.set(value, size);
    return size;
  };
  return measure(root);
}
