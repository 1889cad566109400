/** Endings that are replaced if a syllable remains before them; longer ones come first. */
const SUFFIXES = pairs(
  `ational ate, ization ize, iveness ive, fulness ful, ousness ous, tional tion, biliti ble, entli ent, ousli ous,
  ation ate, alism al, aliti al, iviti ive, enci ence, anci ance, izer ize, abli able, alli al, ator ate, eli e`,
);
const PORTER_SUFFIXES = [...SUFFIXES, ['logi', 'log']] as const;
const SECOND_SUFFIXES = pairs('icate ic, ative -, alize al, iciti ic, ical ic, ness -, ful -');
/** Endings that are removed if two syllables remain before them. */
const LAST_SUFFIXES = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou'.split(' ');

/** Settings for stemming. */
export interface StemOptions {
  /**
   * Leaves the `s` of `status`, the `e` of `ties` and the `i` of `technologi`, so that `status` and `statuses` have one
   * stem. Tools and the table of word meanings use this. Default: false, which is what knowledge stores keep.
   */
  readonly mild?: boolean;
}

/**
 * Returns the stem of a lower-case English word by Porter's rules. Words of other alphabets are returned unchanged.
 *
 * Stores keep stems: a change to the result without options needs a new `TERMS_VERSION`.
 */
export function stem(word: string, { mild = false }: StemOptions = {}): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let rest = dropTense(dropPlural(word, mild));
  if (rest.endsWith('y') && hasVowel(rest.slice(0, -1))) rest = `${rest.slice(0, -1)}i`;
  rest = replaceSuffix(replaceSuffix(rest, mild ? SUFFIXES : PORTER_SUFFIXES), SECOND_SUFFIXES);
  return dropFinalE(dropLastSuffix(rest));
}

function pairs(list: string): [string, string][] {
  return list.split(',').map((pair) => {
    const [suffix = '', replacement = ''] = pair.trim().split(' ');
    return [suffix, replacement === '-' ? '' : replacement];
  });
}

function dropPlural(word: string, mild: boolean): string {
  if (!word.endsWith('s') || word.endsWith('ss') || (mild && word.endsWith('us'))) return word;
  if (mild && word.length < 5) return word.slice(0, -1);
  return word.endsWith('sses') || word.endsWith('ies') ? word.slice(0, -2) : word.slice(0, -1);
}

function dropTense(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const cut = word.endsWith('ed') ? -2 : word.endsWith('ing') ? -3 : 0;
  const rest = cut === 0 ? word : word.slice(0, cut);
  if (cut === 0 || !hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsDouble(rest) && !/[lsz]$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function replaceSuffix(word: string, rules: readonly (readonly [string, string])[]): string {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const rest = word.slice(0, -suffix.length);
    return measure(rest) > 0 ? rest + replacement : word;
  }
  return word;
}

function dropLastSuffix(word: string): string {
  const suffix = LAST_SUFFIXES.find((ending) => word.endsWith(ending)) ?? (/[st]ion$/.test(word) ? 'ion' : '');
  if (suffix === '') return word;
  const rest = word.slice(0, -suffix.length);
  return measure(rest) > 1 ? rest : word;
}

function dropFinalE(word: string): string {
  let rest = word;
  if (rest.endsWith('e')) {
    const before = rest.slice(0, -1);
    const count = measure(before);
    if (count > 1 || (count === 1 && !endsShort(before))) rest = before;
  }
  return rest.endsWith('ll') && measure(rest) > 1 ? rest.slice(0, -1) : rest;
}

function isConsonant(word: string, place: number): boolean {
  switch (word[place]) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
      return false;
    case 'y':
      return place === 0 || !isConsonant(word, place - 1);
    default:
      return true;
  }
}

/** Counts the vowels that are followed by a consonant: Porter's measure of a word. */
function measure(word: string): number {
  let count = 0;
  let wasVowel = false;
  for (let place = 0; place < word.length; place++) {
    const isVowel = !isConsonant(word, place);
    if (wasVowel && !isVowel) count++;
    wasVowel = isVowel;
  }
  return count;
}

function hasVowel(word: string): boolean {
  for (let place = 0; place < word.length; place++) if (!isConsonant(word, place)) return true;
  return false;
}

/** Returns true if the word ends with the same consonant twice. */
function endsDouble(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);
}

/** Returns true if the word ends like `hop`: consonant, vowel, consonant other than w, x and y. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || /[wxy]$/.test(word)) return false;
  return isConsonant(word, last) && !isConsonant(word, last - 1) && isConsonant(word, last - 2);
}
