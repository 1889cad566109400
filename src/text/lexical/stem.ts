import { endsDouble, endsShort, hasVowel, measure } from './syllables.ts';

/** Endings that are replaced where a syllable stays before them; longer ones stand first. */
const SUFFIXES = pairs(
  `ational ate, ization ize, iveness ive, fulness ful, ousness ous, tional tion, biliti ble, entli ent, ousli ous,
  ation ate, alism al, aliti al, iviti ive, enci ence, anci ance, izer ize, abli able, alli al, ator ate, logi log, eli e`,
);
const SECOND_SUFFIXES = pairs('icate ic, ative -, alize al, iciti ic, ical ic, ness -, ful -');
/** Endings that go where two syllables stay before them. */
const LAST_SUFFIXES = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou'.split(' ');

/**
 * The stem of a small-letter English word by Porter's rules; words of other alphabets come back as they are.
 *
 * A part of what stores keep on disk: a change here needs a new `TERMS_VERSION`.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let rest = dropTense(dropPlural(word));
  if (rest.endsWith('y') && hasVowel(rest.slice(0, -1))) rest = `${rest.slice(0, -1)}i`;
  rest = replaceSuffix(replaceSuffix(rest, SUFFIXES), SECOND_SUFFIXES);
  return dropFinalE(dropLastSuffix(rest));
}

function pairs(list: string): [string, string][] {
  return list.split(',').map((pair) => {
    const [suffix = '', replacement = ''] = pair.trim().split(' ');
    return [suffix, replacement === '-' ? '' : replacement];
  });
}

function dropPlural(word: string): string {
  if (!word.endsWith('s') || word.endsWith('ss')) return word;
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
