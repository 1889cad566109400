/**
 * Characters that are invisible or disguise a text: controls, direction marks, tags, fillers, joiners, selectors, line separators, lone
 * surrogates, private and unassigned characters.
 *
 * Excludes line ends and tabs, Arabic signs that enclose a number, and emoji of later Unicode versions.
 */
const HIDDEN =
  String.raw`(?![\t\n\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]|\r\n|\p{Extended_Pictographic})` +
  String.raw`[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]`;

/** Letters and marks of scripts that use joiners. */
const JOINING =
  String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}` +
  String.raw`\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}` +
  String.raw`\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}`;

/** The flags of England, Scotland and Wales are the only emoji with tags. */
const FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((code) => `\\u{1F3F4}${code.split('').map(toTag).join('')}\\u{E007F}`);

/** Places where one such character is part of readable text. Two in a row, or one elsewhere, can carry data. */
const READABLE = [
  // Joined emoji, such as a family or a profession.
  String.raw`(?<=\p{Extended_Pictographic}[\u{FE0F}\p{Emoji_Modifier}]?)\u200D(?=\p{Extended_Pictographic})`,
  // A sign shown as an emoji or as text; a keycap.
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F](?![\uFE00-\uFE0F])`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  // Within a word, as in Persian "mi-khaham" and in conjuncts of Indic scripts.
  `(?<=[${JOINING}])[\\u200C\\u200D](?=[${JOINING}])`,
  ...FLAGS,
].join('|');

/** Compiled on first use, like those below, because compiling these classes takes milliseconds. */
let hidden: RegExp | undefined;
const hiddenPattern = (): RegExp => (hidden ??= new RegExp(`(${READABLE})|${HIDDEN}`, 'gu'));

/** Matches texts with only visible characters, so that most texts cost one test. */
const PLAIN = /^[\t\n\u0020-\u007E]*$/;

/**
 * Makes hidden characters of a text visible: `\u200b`, `\u{e0041}`. Keeps line ends, tabs, and joiners within emoji and words of scripts
 * that use them.
 */
export function revealHidden(text: string): string {
  return replaceHidden(text, (character) =>
    character.length === 1 ? toEscape(character) : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Makes hidden characters in JSON visible. The data stays the same, because only its strings can contain them. */
export function revealHiddenJson(json: string): string {
  return replaceHidden(json, (character) => character.split('').map(toEscape).join(''));
}

/** Quotes a text on one line with hidden characters made visible, so that its end is clear. */
export function quoteText(text: string): string {
  return revealHidden(JSON.stringify(text));
}

/** Terminal control sequences (colours, cursor moves, titles, links), complete or not. */
const ESCAPES =
  String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]P_^X]|[\u0090\u0098\u009D-\u009F])` +
  String.raw`[^\u0007\u001B\u0080-\u009F]*(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]*[0-~]|[\u001B\u009B]`;
let terminal: RegExp | undefined;
const terminalPattern = (): RegExp => (terminal ??= new RegExp(ESCAPES, 'gu'));

/** Characters that end a line without looking like it. */
const LINE_ENDS = /\r(?!\n)|[\v\f\u0085\u2028\u2029]/gu;

/** Matches deceptive content: escape sequences, direction overrides, and tags outside flags. */
let deceiving: RegExp | undefined;
const deceivingPattern = (): RegExp =>
  (deceiving ??= new RegExp(
    String.raw`(${FLAGS.join('|')})|${ESCAPES}|[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]`,
    'gu',
  ));

/** Removes hidden characters and escape sequences from a text. Keeps those that languages and emoji need. */
export function stripHidden(text: string): string {
  if (PLAIN.test(text)) return text;
  // Without callbacks, because a server may send millions of such characters.
  return text.replaceAll(terminalPattern(), '').replaceAll(LINE_ENDS, '\n').replaceAll(hiddenPattern(), '$1');
}

/**
 * Removes escape sequences, tags and direction overrides from data. Keeps the rest, even zero-width characters: a text that a model reads
 * and writes back should stay the same.
 */
export function stripDeceiving(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(deceivingPattern(), '$1');
}

export function findHidden(text: string): { readonly index: number; readonly text: string }[] {
  if (PLAIN.test(text)) return [];
  const runs: { index: number; text: string }[] = [];
  for (const { 0: found, 1: readable, index } of text.matchAll(hiddenPattern())) {
    if (readable !== undefined) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.index + last.text.length === index) last.text += found;
    else runs.push({ index, text: found });
  }
  return runs;
}

function replaceHidden(text: string, spell: (character: string) => string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(hiddenPattern(), (found: string, readable: string | undefined) =>
    readable === undefined ? spell(found) : found,
  );
}

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function toTag(letter: string): string {
  return `\\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`;
}
