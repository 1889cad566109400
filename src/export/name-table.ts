/** The names that a provider accepts. */
export interface NameRules {
  /** Matches one allowed character; must allow letters, in lower or upper case. */
  readonly character: RegExp;
  /** Matches an allowed first character, if that rule is stricter. */
  readonly first?: RegExp;
  readonly maxLength: number;
}

/** A framework passes names to a provider that only it knows, so the strictest rules apply. */
export const FRAMEWORK_NAMES: NameRules = { character: /[A-Za-z0-9_-]/, maxLength: 64 };

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Maps tool names to a provider's names and back. */
export interface NameTable {
  toProvider(name: string): string | undefined;
  toOriginal(providerName: string): string | undefined;
  /** Every pair `[name, providerName]`, in the order of the names. */
  entries(): readonly (readonly [name: string, providerName: string])[];
}

/**
 * Maps names to names that a provider accepts, and back. An accepted name is never changed; the others are cleaned and, if that
 * would cause a collision, distinguished by a hash of the whole name. The result depends only on the names.
 */
export function createNameTable(names: Iterable<string>, rules: NameRules): NameTable {
  const unique = [...new Set(names)];
  const spelling = createSpelling(rules);
  const taken = new Set(unique.filter((name) => fits(name, rules)));
  const wanted = new Map<string, string[]>();
  for (const name of unique) {
    if (taken.has(name)) continue;
    const clean = cleanName(name, rules, spelling);
    wanted.set(clean, [...(wanted.get(clean) ?? []), name]);
  }
  const toProvider = new Map<string, string>();
  for (const name of unique) {
    if (fits(name, rules)) toProvider.set(name, name);
    else {
      const clean = cleanName(name, rules, spelling);
      const alone = wanted.get(clean)?.length === 1 && clean.length <= rules.maxLength;
      const providerName = alone && !taken.has(clean) ? clean : hashedName(clean, name, { rules, spelling, taken });
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

/** The characters that replace others: computed when a name is not accepted, which is rare. */
interface Spelling {
  /** Replaces a character that is not allowed. */
  filler(): string;
  /** Precedes a name whose first character is not allowed there. */
  prefix(): string;
  digits(): string;
}

function createSpelling({ character, first }: NameRules): Spelling {
  const allowed = (characters: string, rule: RegExp = character): string =>
    Array.from(characters)
      .filter((one) => character.test(one) && rule.test(one))
      .join('');
  let known: string | undefined;
  const digits = (): string =>
    (known ??= [DIGITS, DIGITS.toUpperCase()].map((all) => allowed(all)).find((all) => all.length > 1) ?? DIGITS);
  return {
    digits,
    filler: () => allowed('_-.').charAt(0) || digits().charAt(0),
    prefix: () => allowed(`_${DIGITS}`, first).charAt(0) || allowed(DIGITS.toUpperCase(), first).charAt(0),
  };
}

function cleanName(name: string, rules: NameRules, spelling: Spelling): string {
  const clean = Array.from(name, (character) => (rules.character.test(character) ? character : spelling.filler())).join(
    '',
  );
  return clean === '' || (rules.first && !rules.first.test(clean.charAt(0))) ? `${spelling.prefix()}${clean}` : clean;
}

function hashedName(
  clean: string,
  name: string,
  limits: { readonly rules: NameRules; readonly spelling: Spelling; readonly taken: ReadonlySet<string> },
): string {
  for (let round = 0; ; round += 1) {
    const hash = shortHash(round === 0 ? name : `${name}#${round}`, limits.spelling.digits());
    const suffix = `${limits.spelling.filler()}${hash}`;
    const candidate = clean.slice(0, limits.rules.maxLength - suffix.length) + suffix;
    if (!limits.taken.has(candidate)) return candidate;
  }
}

/** Returns a short, stable hash of a text, in these digits: seven of `0-9 a-z`. */
function shortHash(text: string, digits: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  const length = Math.ceil(32 / Math.log2(digits.length));
  let rest = hash >>> 0;
  let written = '';
  for (let place = 0; place < length; place += 1) {
    written = digits.charAt(rest % digits.length) + written;
    rest = Math.floor(rest / digits.length);
  }
  return written;
}
