const MOST_TOKENS = 64;
const LONGEST_TOKEN = 160;

/** Tools by their names in any case and with any separators. */
export class NameTable {
  readonly #slots = new Map<string, { readonly name: string; readonly slot: number }[]>();

  add(name: string, slot: number): void {
    const key = foldName(name);
    const same = this.#slots.get(key);
    if (same === undefined) this.#slots.set(key, [{ name, slot }]);
    else same.push({ name, slot });
  }

  remove(name: string, slot: number): void {
    const key = foldName(name);
    const rest = (this.#slots.get(key) ?? []).filter((other) => other.slot !== slot);
    if (rest.length === 0) this.#slots.delete(key);
    else this.#slots.set(key, rest);
  }

  /** Tools the query names: it is the name, or a token that looks like one is. The one spelt the same comes first. */
  find(query: string): number[] {
    const found = new Set(this.#get(query.trim()));
    for (const token of query.split(/\s+/, MOST_TOKENS)) {
      if (token.length > LONGEST_TOKEN) continue;
      const name = token.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
      if (/[_.-]|\p{Ll}\p{Lu}/u.test(name)) for (const slot of this.#get(name)) found.add(slot);
    }
    return [...found];
  }

  #get(name: string): number[] {
    const same = this.#slots.get(foldName(name)) ?? [];
    return same.toSorted((a, b) => Number(b.name === name) - Number(a.name === name)).map(({ slot }) => slot);
  }
}

function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]+/g, '');
}
