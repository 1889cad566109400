/** What a provider accepts as a name. */
export interface NameRules {
  /** Matches one character that is allowed. */
  readonly character: RegExp;
  /** Matches a first character that is allowed, where that is a stricter rule. */
  readonly first?: RegExp;
  readonly maxLength: number;
}

/** Names here and at the provider, both ways. */
export interface NameTable {
  /** The provider's name for one of ours. */
  toProvider(name: string): string | undefined;
  /** Our name for one of the provider's. */
  toOriginal(providerName: string): string | undefined;
  /** Every pair `[ours, the provider's]`, in the order the names came. */
  entries(): readonly (readonly [name: string, providerName: string])[];
}

/**
 * Maps names to what a provider accepts, and back. A name that fits is never changed; the others are cleaned and, where
 * that loses something another name needs, told apart by a hash of the whole name. The result depends on the names only.
 */
export function createNameTable(names: Iterable<string>, rules: NameRules): NameTable {
  const unique = [...new Set(names)];
  const taken = new Set(unique.filter((name) => fits(name, rules)));
  const wanted = new Map<string, string[]>();
  for (const name of unique) {
    if (taken.has(name)) continue;
    const clean = cleanName(name, rules);
    wanted.set(clean, [...(wanted.get(clean) ?? []), name]);
  }
  const toProvider = new Map<string, string>();
  for (const name of unique) {
    if (fits(name, rules)) toProvider.set(name, name);
    else {
      const clean = cleanName(name, rules);
      const alone = wanted.get(clean)?.length === 1 && clean.length <= rules.maxLength;
      const providerName = alone && !taken.has(clean) ? clean : hashedName(clean, name, { rules, taken });
      taken.add(providerName);
      toProvider.set(name, providerName);
    }
  }
  const toOriginal = new Map([...toProvider].map(([name, providerName]) => [providerName, name]));
  return {
    toProvider: (name) => toProvider.get(name),
    toOriginal: (providerName) => toOriginal.get(providerName),
    entries: () => [...toProvider],
  };
}

function fits(name: string, rules: NameRules): boolean {
  if (name.length === 0 || name.length > rules.maxLength) return false;
  if (rules.first && !rules.first.test(name.charAt(0))) return false;
  return Array.from(name).every((character) => rules.character.test(character));
}

function cleanName(name: string, rules: NameRules): string {
  const clean = Array.from(name, (character) => (rules.character.test(character) ? character : '_')).join('');
  return clean === '' || (rules.first && !rules.first.test(clean.charAt(0))) ? `_${clean}` : clean;
}

function hashedName(
  clean: string,
  name: string,
  limits: { readonly rules: NameRules; readonly taken: ReadonlySet<string> },
): string {
  for (let round = 0; ; round += 1) {
    const suffix = `_${shortHash(round === 0 ? name : `${name}#${round}`)}`;
    const candidate = clean.slice(0, limits.rules.maxLength - suffix.length) + suffix;
    if (!limits.taken.has(candidate)) return candidate;
  }
}

/** A short, stable fingerprint of a text: seven characters of `0-9 a-z`. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(7, '0');
}
