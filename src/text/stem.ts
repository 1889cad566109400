type Rule = readonly [suffix: string, replacement: string];

/** Endings that turn one kind of word into another; taken off where a syllable stays. */
const LONG_ENDINGS: readonly Rule[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['eli', 'e'],
];
const MIDDLE_ENDINGS: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
/** Taken off where two syllables stay. Longer endings stand before those they end with. */
const LAST_ENDINGS = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou'.split(' ');

/** The stem of a lower-case English word, as in Porter's algorithm; other words come back as they are. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let rest = withoutTense(withoutPlural(word));
  if (rest.endsWith('y') && hasVowel(rest.slice(0, -1))) rest = `${rest.slice(0, -1)}i`;
  rest = replaceEnding(replaceEnding(rest, LONG_ENDINGS), MIDDLE_ENDINGS);
  return withoutFinal(withoutLastEnding(rest));
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1);
  return word.endsWith('s') && !word.endsWith('ss') && !word.endsWith('us') ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  if (word.endsWith('eed')) return syllables(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const rest = word.slice(0, word.length - ending);
  if (ending === 0 || !hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsDouble(rest) && !/[lsz]$/.test(rest)) return rest.slice(0, -1);
  return syllables(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function replaceEnding(word: string, rules: readonly Rule[]): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const rest = word.slice(0, -rule[0].length);
  return syllables(rest) > 0 ? rest + rule[1] : word;
}

function withoutLastEnding(word: string): string {
  const ending = LAST_ENDINGS.find((suffix) => word.endsWith(suffix)) ?? (/[st]ion$/.test(word) ? 'ion' : '');
  const rest = word.slice(0, word.length - ending.length);
  return ending !== '' && syllables(rest) > 1 ? rest : word;
}

function withoutFinal(word: string): string {
  let rest = word;
  if (rest.endsWith('e')) {
    const before = rest.slice(0, -1);
    const count = syllables(before);
    if (count > 1 || (count === 1 && !endsShort(before))) rest = before;
  }
  return rest.endsWith('ll') && syllables(rest) > 1 ? rest.slice(0, -1) : rest;
}

function isConsonant(word: string, place: number): boolean {
  const letter = word.charAt(place);
  if (letter === 'y') return place === 0 || !isConsonant(word, place - 1);
  return !'aeiou'.includes(letter);
}

/** How often a vowel is followed by a consonant. */
function syllables(word: string): number {
  let count = 0;
  for (let place = 1; place < word.length; place++) {
    if (isConsonant(word, place) && !isConsonant(word, place - 1)) count++;
  }
  return count;
}

function hasVowel(word: string): boolean {
  for (let place = 0; place < word.length; place++) if (!isConsonant(word, place)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);
}

/** Ends as `hop` does: consonant, vowel, consonant. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || /[wxy]$/.test(word)) return false;
  return isConsonant(word, last) && !isConsonant(word, last - 1) && isConsonant(word, last - 2);
}
