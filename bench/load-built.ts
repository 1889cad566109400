interface Entries {
  readonly index: typeof import('../src/index.ts');
  readonly agent: typeof import('../src/agent.ts');
  readonly code: typeof import('../src/code.ts');
}

/** Loads an entry of the built package, which is what users install. Its types come from the sources, so checking them needs no build. */
export async function loadBuilt<E extends keyof Entries>(entry: E): Promise<Entries[E]> {
  // The build makes each entry from the source file of the same name.
  return (await import(new URL(`../dist/${entry}.js`, import.meta.url).href)) as Entries[E];
}
