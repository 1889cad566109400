const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII_WORD = /[A-Za-z0-9]+/g;
const PLAIN = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+|\p{L}/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;
/** Those of Latin, Greek and Cyrillic letters: in other scripts marks are a part of the word. */
const ACCENTS = /[\u0300-\u036f]+/g;
const MAX_WORD = 64;

/**
 * Splits a text into small-letter words without accents.
 *
 * `parseJson` gives its parts and itself, `snake_case` its parts. Scripts without spaces give pairs of characters.
 * Words longer than any real one (keys, encoded data) are cut.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  if (isAscii(text)) {
    for (const word of text.match(ASCII_WORD) ?? []) splitWord(word, words);
    return words;
  }
  const plain = text.normalize('NFKD').replaceAll(ACCENTS, '').normalize('NFC');
  for (const word of plain.match(WORD) ?? []) {
    if (isAscii(word)) splitWord(word, words);
    else splitForeign(word, words);
  }
  return words;
}

function splitWord(word: string, words: string[]): void {
  const whole = word.slice(0, MAX_WORD);
  if (!PLAIN.test(whole)) {
    const parts = whole.match(PART) ?? [];
    if (parts.length > 1) for (const part of parts) words.push(part.toLowerCase());
  }
  words.push(whole.toLowerCase());
}

function splitForeign(word: string, words: string[]): void {
  let end = 0;
  for (const match of word.matchAll(UNSPACED)) {
    if (match.index > end) splitWord(word.slice(end, match.index), words);
    const characters = Array.from(match[0]);
    if (characters.length === 1) words.push(match[0]);
    for (let place = 1; place < characters.length; place++) words.push(`${characters[place - 1]}${characters[place]}`);
    end = match.index + match[0].length;
  }
  if (end < word.length) splitWord(word.slice(end), words);
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the question is whether there is anything but these
  return /^[\x00-\x7f]*$/.test(text);
}
