const AHEAD = 8;

/** What loading gives for each item, in order; the next few are loaded while one is worked on. `load` must not reject. */
export async function* readAhead<T, R>(items: readonly T[], load: (item: T) => Promise<R>): AsyncGenerator<R> {
  const pending: Promise<R>[] = [];
  let next = 0;
  for (;;) {
    for (; pending.length < AHEAD && next < items.length; next++) {
      const item = items[next];
      if (item !== undefined) pending.push(load(item));
    }
    const first = pending.shift();
    if (first === undefined) return;
    yield first;
  }
}
