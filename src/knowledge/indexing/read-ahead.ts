const AHEAD = 8;
/** The most bytes loaded ahead; a single item may have more. */
const AHEAD_BYTES = 20_000_000;

/**
 * Loads items in order, the next few while one is processed. A failure to load is thrown in its turn.
 *
 * `sizeOf` returns the size of an item in bytes. Default: 0.
 */
export async function* readAhead<T, R>(
  items: readonly T[],
  load: (item: T) => Promise<R>,
  sizeOf: (item: T) => number = () => 0,
): AsyncGenerator<R> {
  const pending: { readonly loaded: Promise<R>; readonly size: number }[] = [];
  let bytes = 0;
  let next = 0;
  for (;;) {
    for (; pending.length < AHEAD && next < items.length; next++) {
      const item = items[next];
      if (item === undefined) continue;
      const size = sizeOf(item);
      if (pending.length > 0 && bytes + size > AHEAD_BYTES) break;
      bytes += size;
      const loaded = load(item);
      // It is thrown in its turn, not earlier.
      loaded.catch(() => undefined);
      pending.push({ loaded, size });
    }
    const first = pending.shift();
    if (first === undefined) return;
    const loaded = await first.loaded;
    bytes -= first.size;
    yield loaded;
  }
}
