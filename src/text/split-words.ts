const MAX_JOINED = 16;
const SCRIPTS_WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;
const RUN = /[\p{L}\p{N}]+/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}/gu;

/**
 * Splits text into lower-case words: `snake_case`, `camelCase` and digits apart, accents folded.
 *
 * A run such as `GitHub` or `s3` also counts as one word. Scripts without spaces give pairs of characters.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  eachRun(text, (run) => words.push(...splitRun(run)));
  return words;
}

/** Visits the runs of letters and digits in a text, accents folded. */
export function eachRun(text: string, visit: (run: string) => void): void {
  if (isAscii(text)) eachAsciiRun(withoutEndings(text), visit);
  else for (const [run] of withoutEndings(fold(text)).matchAll(RUN)) visit(run);
}

/** The lower-case words of a run. */
export function splitRun(run: string): string[] {
  const words: string[] = [];
  if (isAscii(run)) splitPlain(run, words);
  else splitForeign(run, words);
  return words;
}

/** Most text is ASCII, and a pattern would take most of the time an index takes to build. */
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

/** `What's` is `What`. */
function withoutEndings(text: string): string {
  return text.includes("'") ? text.replaceAll(/(?<=\p{L})'\p{L}{1,2}(?!\p{L})/gu, '') : text;
}

function splitPlain(run: string, words: string[]): void {
  if (run === '') return;
  if (isOneWord(run)) {
    words.push(run.toLowerCase());
    return;
  }
  const parts = run.match(PART) ?? [];
  for (const part of parts) words.push(part.toLowerCase());
  if (parts.length > 1 && parts.length <= 3 && run.length <= MAX_JOINED) words.push(run.toLowerCase());
}

/** All digits, all small letters, all capitals, or one capital and then small letters. */
function isOneWord(run: string): boolean {
  if (!isAscii(run)) return false;
  const kind = kindOf(run.charCodeAt(0));
  const next = run.length === 1 ? kind : kindOf(run.charCodeAt(1));
  if (kind === 'digit' ? next !== 'digit' : next === 'digit' || (kind === 'small' && next === 'capital')) return false;
  for (let place = 2; place < run.length; place++) if (kindOf(run.charCodeAt(place)) !== next) return false;
  return true;
}

function kindOf(code: number): 'digit' | 'capital' | 'small' {
  if (code < 58) return 'digit';
  return code < 91 ? 'capital' : 'small';
}

function splitForeign(run: string, words: string[]): void {
  let end = 0;
  for (const match of run.matchAll(SCRIPTS_WITHOUT_SPACES)) {
    splitPlain(run.slice(end, match.index), words);
    const characters = Array.from(match[0]);
    if (characters.length === 1) words.push(match[0]);
    for (let place = 0; place + 1 < characters.length; place++) {
      words.push(`${characters[place]}${characters[place + 1]}`);
    }
    end = match.index + match[0].length;
  }
  splitPlain(run.slice(end), words);
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll('’', "'")
    .normalize('NFC');
}

function isAscii(text: string): boolean {
  for (let place = 0; place < text.length; place++) if (text.charCodeAt(place) > 127) return false;
  return true;
}
