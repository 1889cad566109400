const AHEAD = 8;
/** Bytes that are loaded ahead at most; one item may have more. */
const AHEAD_BYTES = 20_000_000;

/**
 * What loading gives for each item, in order; the next few are loaded while one is worked on. A failure to load is thrown in its turn.
 *
 * `sizeOf` says how many bytes an item has. Default: few.
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
      // It fails when its turn comes, not before.
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
