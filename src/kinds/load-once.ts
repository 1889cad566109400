/**
 * Loads a module when it is first used, and uses it at once from then on.
 *
 * `import()` takes a while each time, also for a module that is loaded: too long for each of a thousand entries.
 */
export function loadOnce<M>(load: () => Promise<M>): <T>(use: (module: M) => T) => T | Promise<Awaited<T>> {
  let loaded: M | undefined;
  return (use) => {
    if (loaded !== undefined) return use(loaded);
    // A promise never holds another.
    return load().then((module) => use((loaded = module))) as Promise<Awaited<ReturnType<typeof use>>>;
  };
}
