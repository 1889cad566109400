/**
 * Characters that show nothing, or make a text show other than it is: controls, marks of writing direction, tags, fillers,
 * joiners, selectors, separators of lines, halves of pairs, private and unassigned ones.
 *
 * Not among them: line ends and tabs; Arabic signs that enclose a number; emoji of later versions of Unicode.
 */
const HIDDEN =
  String.raw`(?![\t\n\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]|\r\n|\p{Extended_Pictographic})` +
  String.raw`[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]`;

/** Letters and marks of scripts that are written with joiners. */
const JOINING =
  String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}` +
  String.raw`\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}` +
  String.raw`\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}`;

/** The flags of England, Scotland and Wales are the only emoji that are made of tags. */
const FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((code) => `\\u{1F3F4}${code.split('').map(toTag).join('')}\\u{E007F}`);

/** Where one such character belongs to what people read. Two in a row, or any elsewhere, can carry data. */
const READABLE = [
  // A family, a profession: emoji joined to one.
  String.raw`(?<=\p{Extended_Pictographic}[\u{FE0F}\p{Emoji_Modifier}]?)\u200D(?=\p{Extended_Pictographic})`,
  // A sign shown as an emoji, or as text; a keycap.
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F](?![\uFE00-\uFE0F])`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  // Within a word, as in Persian "mi-khaham" and in conjuncts of Indic scripts.
  `(?<=[${JOINING}])[\\u200C\\u200D](?=[${JOINING}])`,
  ...FLAGS,
].join('|');

/** Made when the first text needs it, as those below: to read what all these classes stand for takes milliseconds. */
let hidden: RegExp | undefined;
const hiddenPattern = (): RegExp => (hidden ??= new RegExp(`(${READABLE})|${HIDDEN}`, 'gu'));

/** A text in which everything is plain to see, so that most texts cost one look. */
const PLAIN = /^[\t\n\u0020-\u007E]*$/;

/**
 * Spells out the characters of a text that people do not see: `\u200b`, `\u{e0041}`. Line ends and tabs stay, and so do
 * joiners within emoji and within words of scripts that are written with them.
 */
export function revealHidden(text: string): string {
  return replaceHidden(text, (character) =>
    character.length === 1 ? toEscape(character) : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The same for JSON: it stays the same data, as only strings of it can hold such characters. */
export function revealHiddenJson(json: string): string {
  return replaceHidden(json, (character) => character.split('').map(toEscape).join(''));
}

/** A text on one line, in quotes, hidden characters spelt out: where it ends is plain to see. */
export function quoteText(text: string): string {
  return revealHidden(JSON.stringify(text));
}

/** Sequences that tell a terminal what to do: colours, moves of the cursor, titles, links; or half of one. */
const ESCAPES =
  String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]P_^X]|[\u0090\u0098\u009D-\u009F])` +
  String.raw`[^\u0007\u001B\u0080-\u009F]*(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]*[0-~]|[\u001B\u009B]`;
let terminal: RegExp | undefined;
const terminalPattern = (): RegExp => (terminal ??= new RegExp(ESCAPES, 'gu'));

/** Characters that end a line without looking like it. */
const LINE_ENDS = /\r(?!\n)|[\v\f\u0085\u2028\u2029]/gu;

/** What only deceives: escape sequences, characters that turn the direction of text, tags outside of flags. */
let deceiving: RegExp | undefined;
const deceivingPattern = (): RegExp =>
  (deceiving ??= new RegExp(
    String.raw`(${FLAGS.join('|')})|${ESCAPES}|[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]`,
    'gu',
  ));

/** A text without what people do not see in it, and without escape sequences. What languages and emoji need stays. */
export function stripHidden(text: string): string {
  if (PLAIN.test(text)) return text;
  // Without functions, as a server may send millions of such characters.
  return text.replaceAll(terminalPattern(), '').replaceAll(LINE_ENDS, '\n').replaceAll(hiddenPattern(), '$1');
}

/**
 * A text that is data, without escape sequences, tags and turned directions. All else stays, also what has no width: a text that
 * a model reads and writes back should be the same.
 */
export function stripDeceiving(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(deceivingPattern(), '$1');
}

/** Where hidden characters stand in a text: each run of them with its place. */
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
