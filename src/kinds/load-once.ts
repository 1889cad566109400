/**
 * Loads a module on first use, and then uses it synchronously.
 *
 * `import()` takes a while even for a loaded module: too long for each of a thousand entries.
 */
export function loadOnce<M>(load: () => Promise<M>): <T>(use: (module: M) => T) => T | Promise<Awaited<T>> {
  let loaded: M | undefined;
  return (use) => {
    if (loaded !== undefined) return use(loaded);
    // A promise never resolves to another.
    return load().then((module) => use((loaded = module))) as Promise<Awaited<ReturnType<typeof use>>>;
  };
}
