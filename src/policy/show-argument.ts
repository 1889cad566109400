const MAX_TEXT = 200;
const MAX_ITEMS = 20;
const MAX_DEPTH = 4;

/** What could make a terminal or a page show something else than is there: controls, and marks of writing direction. */
// oxlint-disable-next-line no-control-regex -- these are what it is about
const HIDDEN = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** A value for the eyes of a person: long texts and lists shortened with both ends kept, hidden characters spelt out. */
export function showArgument(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return showText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_ITEMS).map((item) => showArgument(item, depth + 1));
    return value.length > MAX_ITEMS ? [...shown, `… ${value.length - MAX_ITEMS} more`] : shown;
  }
  const entries = Object.entries(value);
  const shown = entries.slice(0, MAX_ITEMS).map(([key, item]) => [showText(key), showArgument(item, depth + 1)]);
  if (entries.length > MAX_ITEMS) shown.push(['…', `${entries.length - MAX_ITEMS} more`]);
  return Object.fromEntries(shown);
}

/** A text for the eyes of a person, on one line. */
export function showText(text: string): string {
  const half = MAX_TEXT / 2;
  const shortened =
    text.length > MAX_TEXT
      ? `${text.slice(0, half)}… ${text.length - MAX_TEXT} more characters …${text.slice(-half)}`
      : text;
  return spellOut(shortened).replaceAll('\n', '\\u000a');
}

/** A text with its hidden characters spelt out, line ends aside. */
export function spellOut(text: string): string {
  return text.replaceAll(HIDDEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
