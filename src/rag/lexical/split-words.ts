const WORD = /[\p{L}\p{N}]+/gu;
const ASCII_WORD = /[a-z0-9]+/g;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;
const MAX_WORD = 64;

/**
 * Splits a text into small-letter words without accents.
 *
 * `_` and all other signs part words, so that the parts of `snake_case` are words; scripts without spaces give pairs
 * of characters. Words longer than any real one (keys, encoded data) are cut.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  if (isAscii(text)) {
    for (const [word] of text.toLowerCase().matchAll(ASCII_WORD)) words.push(word.slice(0, MAX_WORD));
    return words;
  }
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase();
  for (const [word] of plain.matchAll(WORD)) {
    if (isAscii(word)) words.push(word.slice(0, MAX_WORD));
    else splitForeign(word, words);
  }
  return words;
}

function splitForeign(word: string, words: string[]): void {
  let end = 0;
  const push = (part: string): void => void (part === '' || words.push(part.slice(0, MAX_WORD)));
  for (const match of word.matchAll(UNSPACED)) {
    push(word.slice(end, match.index));
    const characters = Array.from(match[0]);
    if (characters.length === 1) push(match[0]);
    for (let place = 1; place < characters.length; place++) push(`${characters[place - 1]}${characters[place]}`);
    end = match.index + match[0].length;
  }
  push(word.slice(end));
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the question is whether there is anything but these
  return /^[\x00-\x7f]*$/.test(text);
}
