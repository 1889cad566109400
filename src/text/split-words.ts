const PLAIN = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/;
// Patterns with Unicode classes are inside the functions that use them, because compiling them at start-up takes time.
/** Accents of Latin, Greek and Cyrillic letters. In other scripts, marks belong to the word. */
const ACCENTS = /[\u0300-\u036f]+/g;
const MAX_WORD = 64;

/** Settings for splitting words. */
export interface SplitOptions {
  /**
   * Also splits Korean into pairs of characters, which finds words with other endings. Default: false, because
   * knowledge stores keep Korean words whole.
   */
  readonly koreanPairs?: boolean;
}

/**
 * Splits a text into lower-case words without accents.
 *
 * `parseJson` becomes its parts and itself, `snake_case` its parts. Scripts without spaces become pairs of characters.
 * Words longer than any real one (keys, encoded data) are cut. Stores keep these words: a change here needs a new
 * `TERMS_VERSION`.
 */
export function splitWords(text: string, options: SplitOptions = {}): string[] {
  const words: string[] = [];
  eachRun(text, (run) => words.push(...splitRun(run, options)));
  return words;
}

/** Visits the runs of letters and digits in a text, without accents. */
export function eachRun(text: string, visit: (run: string) => void): void {
  if (isAscii(text)) eachAsciiRun(text, visit);
  else {
    const plain = text.normalize('NFKD').replaceAll(ACCENTS, '').normalize('NFC');
    for (const [run] of plain.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) visit(run);
  }
}

/** Splits a run of letters and digits into lower-case words. */
export function splitRun(run: string, { koreanPairs = false }: SplitOptions = {}): string[] {
  const words: string[] = [];
  if (isAscii(run)) splitSpaced(run, words);
  else splitMixed(run, unspacedPattern(koreanPairs), words);
  return words;
}

/** Visits the runs of an ASCII text. Most text is ASCII, and a regular expression would dominate the time to build an index. */
function eachAsciiRun(text: string, visit: (run: string) => void): void {
  let start = -1;
  for (let place = 0; place <= text.length; place++) {
    const isInside = place < text.length && isWordCode(text.charCodeAt(place));
    if (isInside && start < 0) start = place;
    else if (!isInside && start >= 0) {
      visit(text.slice(start, place));
      start = -1;
    }
  }
}

function isWordCode(code: number): boolean {
  return (code > 96 && code < 123) || (code > 47 && code < 58) || (code > 64 && code < 91);
}

function splitSpaced(run: string, words: string[]): void {
  const whole = run.slice(0, MAX_WORD);
  if (!PLAIN.test(whole)) {
    const parts = whole.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+|\p{L}/gu) ?? [];
    if (parts.length > 1) for (const part of parts) words.push(part.toLowerCase());
  }
  words.push(whole.toLowerCase());
}

function unspacedPattern(withKorean: boolean): RegExp {
  return withKorean
    ? /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu
    : /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;
}

function splitMixed(run: string, unspaced: RegExp, words: string[]): void {
  let end = 0;
  for (const match of run.matchAll(unspaced)) {
    if (match.index > end) splitSpaced(run.slice(end, match.index), words);
    const characters = Array.from(match[0]);
    if (characters.length === 1) words.push(match[0]);
    for (let place = 1; place < characters.length; place++) words.push(`${characters[place - 1]}${characters[place]}`);
    end = match.index + match[0].length;
  }
  if (end < run.length) splitSpaced(run.slice(end), words);
}

function isAscii(text: string): boolean {
  for (let place = 0; place < text.length; place++) if (text.charCodeAt(place) > 127) return false;
  return true;
}
