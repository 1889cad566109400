/** A decoded text with the original positions of its parts. */
export interface UnescapedText {
  readonly text: string;
  /** Returns the original position of a character; with `isEnd`, of the end before it. */
  placeOf(index: number, isEnd: boolean): number;
}

const ESCAPES =
  /(?:%[0-9a-f]{2})+|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtbfv0"'`/\\])|&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});/gi;
const MAY_ESCAPE = /[%\\&]/;
/** An escape that is cut off at the end of a text. */
const CUT_ESCAPE =
  /(?:(?:%[0-9a-f]{2})*%[0-9a-f]?|\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&(?:#x?[0-9a-f]{0,7}|[a-z]{0,4})?)$/i;
// oxlint-disable-next-line no-control-regex -- it begins with one
const TERMINAL = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-Z\\^-~])/g;
/** A terminal escape that is cut off at the end of a text. */
// oxlint-disable-next-line no-control-regex -- it begins with one
const CUT_TERMINAL = /\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u001b]*\u001b?|[ -/]*)$/;
const LONG_LINE_END = /\r?\n(?<=[A-Za-z0-9+/_-]{60}\r?\n)[ \t]*(?=[A-Za-z0-9+/_=-])/g;
const CUT_LINE = /(?<=[A-Za-z0-9+/_-]{60})\r?\n?[ \t]*$/;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', '0': '\0' };
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u{a0}' };

/** Decodes the escapes of URLs, of JSON and program text, and of HTML. `undefined` if a text has none. */
export function unescapeText(text: string): UnescapedText | undefined {
  if (!MAY_ESCAPE.test(text)) return undefined;
  return rewrite(text, ESCAPES, readEscape);
}

/** Joins wrapped lines of base64 or hex: programs break them at 60 characters or more. `undefined` if there are none. */
export function joinLines(text: string): UnescapedText | undefined {
  return text.includes('\n') ? rewrite(text, LONG_LINE_END, () => []) : undefined;
}

/** Removes terminal colours and movements, which programs insert in the middle of words. `undefined` if there are none. */
export function dropTerminalEscapes(text: string): UnescapedText | undefined {
  return text.includes('\u{1b}') ? rewrite(text, TERMINAL, () => []) : undefined;
}

/** Returns the start of an escape or line break that is cut off at the end of a text; the text's length if there is none. */
export function cutEscape(text: string): number {
  const tail = text.slice(-96);
  const at = (CUT_TERMINAL.exec(tail) ?? CUT_ESCAPE.exec(tail) ?? CUT_LINE.exec(tail))?.index;
  return at === undefined ? text.length : text.length - tail.length + at;
}

interface ReadUnit {
  readonly text: string;
  /** The number of characters of the escaped text. */
  readonly length: number;
}

function rewrite(
  text: string,
  shape: RegExp,
  read: (escape: string) => readonly ReadUnit[],
): UnescapedText | undefined {
  const parts: string[] = [];
  /** After each escape: the lengths of the new and the old text so far. */
  const to: number[] = [];
  const from: number[] = [];
  let length = 0;
  let done = 0;
  for (const { 0: escape, index } of text.matchAll(shape)) {
    parts.push(text.slice(done, index));
    length += index - done;
    done = index;
    to.push(length);
    from.push(done);
    const units = read(escape);
    for (const unit of units) {
      parts.push(unit.text);
      length += unit.text.length;
      done += unit.length;
      to.push(length);
      from.push(done);
    }
    done = index + escape.length;
    if (units.length > 0) from[from.length - 1] = done;
    else {
      // A span that ends before an omitted character does not include it.
      to.push(length);
      from.push(done);
    }
  }
  if (to.length === 0) return undefined;
  parts.push(text.slice(done));
  const placeOf = (index: number, isEnd: boolean): number => {
    // Finds the last mark at or before the index; for an end, the first one at the same position.
    let low = 0;
    let high = to.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const mark = to[middle] ?? 0;
      if (isEnd ? mark < index : mark <= index) low = middle + 1;
      else high = middle;
    }
    const next = to[low];
    if (isEnd && next === index) return from[low] ?? text.length;
    return low === 0 ? index : (from[low - 1] ?? 0) + index - (to[low - 1] ?? 0);
  };
  return { text: parts.join(''), placeOf };
}

function readEscape(escape: string): readonly ReadUnit[] {
  const length = escape.length;
  if (escape.startsWith('%')) return readPercent(escape);
  if (escape.startsWith('\\')) {
    const kind = escape.charAt(1);
    const code = kind === 'u' || kind === 'x' ? Number.parseInt(escape.slice(2), 16) : undefined;
    return [{ text: code === undefined ? (CONTROLS[kind] ?? kind) : String.fromCharCode(code), length }];
  }
  const name = escape.slice(1, -1).toLowerCase();
  if (!name.startsWith('#')) return [{ text: ENTITIES[name] ?? escape, length }];
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return [{ text: code > 0x10_ff_ff ? escape : String.fromCodePoint(code), length }];
}

/** Decodes `%XX%XX…` as UTF-8, or byte by byte if it is not valid UTF-8. */
function readPercent(escape: string): readonly ReadUnit[] {
  const bytes = Buffer.from(escape.replaceAll('%', ''), 'hex');
  const text = bytes.toString('utf8');
  if (text.includes('\u{fffd}')) return Array.from(bytes, (byte) => ({ text: String.fromCharCode(byte), length: 3 }));
  return Array.from(text, (character) => ({ text: character, length: 3 * Buffer.byteLength(character) }));
}
