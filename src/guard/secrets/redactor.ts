import { isPlainObject } from '../../tool/json.ts';
import { StringFinder, type TextSpan } from './find-strings.ts';
import { secretForms } from './secret-forms.ts';
import { cutEscape, dropTerminalEscapes, joinLines, unescapeText, type UnescapedText } from './unescaped-text.ts';

/** The text that replaces a secret. */
export const MASK = '[redacted]';

/** Levels of nested escapes to decode: for example JSON within JSON within a URL. */
const MAX_LAYERS = 3;
/** Minimum characters of a partial secret that is removed where output was cut. */
const MIN_HALF = 4;
// Matches only from the first of several line breaks: otherwise a text of only line breaks would take hours.
const REMARK = /(?<!\n)\n+\[[\d,]+ of [\d,]+ (?:bytes|characters) left out here[^\n]*\]\n+/;

/** Characters or values to search at once when searching in slices. */
const SLICE = 256 * 1024;
const SLICE_VALUES = 2_000;

/** Receives a text in parts and returns the parts that may be passed on. */
export interface TextGate {
  /** Adds the next part. Holds back an end that may be the beginning of a secret. */
  push(part: string): string;
  /** Returns the rest after the last part. */
  end(): string;
}

/**
 * Removes a board's secrets from everything that leaves it, in texts and values: plain, URL-encoded, in base64, in hex, and escaped as in
 * JSON or HTML. The strings to find are computed on first use of each list of secrets.
 */
export class Redactor {
  #secrets: ReadonlySet<string>;
  #finder: StringFinder | undefined;
  #hasNumbers = false;
  #isCompiled = false;
  /** Cached results of `part`. */
  #parts = new WeakMap<object, object>();

  constructor(secrets: Iterable<string> = []) {
    this.#secrets = new Set(secrets);
  }

  /** Replaces the list of secrets. */
  replace(secrets: Iterable<string>): void {
    const next = new Set(secrets);
    if (next.size === this.#secrets.size && [...next].every((secret) => this.#secrets.has(secret))) return;
    this.#secrets = next;
    this.#isCompiled = false;
    this.#parts = new WeakMap();
  }

  /** True when there are no secrets to remove. */
  get isEmpty(): boolean {
    return this.#secrets.size === 0 || this.#compile() === undefined;
  }

  /** Returns a text with the secrets removed. */
  text(text: string): string {
    return this.#replaceAll(text, () => MASK);
  }

  /** Returns a text with secrets replaced by stars of the same length, so that positions in it stay valid. */
  stars(text: string): string {
    return this.#replaceAll(text, (length) => '*'.repeat(length));
  }

  /** Removes secrets from a shortened text, including partial secrets on both sides of the gap. */
  cut(text: string): string {
    const finder = this.#secrets.size === 0 ? undefined : this.#compile();
    const halves = finder === undefined ? [] : halvesAtGap(finder, text);
    if (finder === undefined || halves.length === 0) return this.text(text);
    const spans = merge([...findSpans(finder, text), ...halves]);
    return replaceSpans(text, { spans, from: 0, to: text.length }, () => MASK);
  }

  /** Works like `cut`, in slices with pauses, so that the process can do other work. */
  async cutInSlices(text: string, pause: () => Promise<void>): Promise<string> {
    const finder = this.#secrets.size === 0 ? undefined : this.#compile();
    if (finder === undefined || text.length <= SLICE) return this.cut(text);
    const spans = halvesAtGap(finder, text);
    const most = longestWritten(finder);
    for (let at = 0; at < text.length; at += SLICE) {
      await pause();
      const from = Math.max(0, at - most);
      const slice = text.slice(from, at + SLICE);
      for (const { start, end } of findSpans(finder, slice)) {
        // A match at an edge may be part of a longer word: the slice before or after contains the whole word.
        const isCut = (start === 0 && from > 0) || (end === slice.length && from + end < text.length);
        if (!isCut) spans.push({ start: from + start, end: from + end });
      }
    }
    if (spans.length === 0) return text;
    return replaceSpans(text, { spans: merge(spans), from: 0, to: text.length }, () => MASK);
  }

  /** Works like `data`, in slices with pauses. */
  async dataInSlices(value: unknown, pause: () => Promise<void>): Promise<unknown> {
    if (this.isEmpty) return value;
    let left = SLICE_VALUES;
    const clean = async (part: unknown): Promise<unknown> => {
      if (typeof part === 'string' && part.length > SLICE) return this.cutInSlices(part, pause);
      if (!Array.isArray(part) && !isPlainObject(part)) return this.#data(part);
      const keys = Array.isArray(part) ? undefined : Object.keys(part);
      const items: unknown[] = Array.isArray(part) ? part : Object.values(part);
      const cleaned: unknown[] = [];
      for (const item of items) {
        if (--left < 0) {
          left = SLICE_VALUES;
          await pause();
        }
        const isPart = typeof item === 'object' || (typeof item === 'string' && item.length > SLICE);
        cleaned.push(isPart ? await clean(item) : this.#data(item));
      }
      const names = keys?.map((key) => this.text(key));
      const isSame = cleaned.every((item, place) => item === items[place] && names?.[place] === keys?.[place]);
      if (isSame) return part;
      return names === undefined ? cleaned : Object.fromEntries(names.map((name, place) => [name, cleaned[place]]));
    };
    return clean(value);
  }

  /** Removes secrets from a JSON-like value. Returns the value itself if it has none, otherwise a copy. */
  data<T>(value: T): T {
    // Works like `data`, for a value that never changes: it is searched once for each list of secrets.
    return this.isEmpty ? value : (this.#data(value) as T);
  }

  /** Only strings and numbers change, so the shape stays. */
  part<T extends object>(value: T): T {
    if (this.isEmpty) return value;
    let clean = this.#parts.get(value);
    // Only strings and numbers change, so the shape stays.
    if (clean === undefined) this.#parts.set(value, (clean = this.#data(value) as object));
    return clean as T;
  }

  /** Creates a gate for a text that arrives in parts. */
  gate(): TextGate {
    /** The end of the text that was passed on, to recognize words and lines of base64. */
    let before = '';
    let held = '';
    const pass = (part: string, isEnd: boolean): string => {
      const finder = this.#secrets.size === 0 ? undefined : this.#compile();
      const text = before + held + part;
      const spans = finder === undefined ? [] : merge(findSpans(finder, text));
      let to = isEnd || finder === undefined ? text.length : openEnd(finder, text);
      // A match at the end of the text may turn out to be longer or part of a word.
      for (const { start, end } of spans.toReversed()) {
        if (start < to && (end > to || (end === text.length && !isEnd))) to = start;
      }
      to = Math.max(to, before.length);
      const shown = replaceSpans(text, { spans, from: before.length, to }, () => MASK);
      held = text.slice(to);
      before = text.slice(Math.max(0, to - 64), to);
      return shown;
    };
    return { push: (part) => pass(part, false), end: () => pass('', true) };
  }

  #data(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number' || typeof value === 'bigint') return this.#number(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#data(item));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (value instanceof Uint8Array) return this.#bytes(value);
    if (value instanceof URL) return this.text(value.href) === value.href ? value : this.text(value.href);
    // Dates, maps and similar objects are sent as JSON.
    if (!isPlainObject(value)) return this.#data(JSON.parse(JSON.stringify(value) ?? 'null'));
    const entries = Object.entries(value).map(([key, item]) => [key, this.text(key), this.#data(item)] as const);
    const isSame = entries.every(([key, clean, item]) => clean === key && item === value[key]);
    return isSame ? value : Object.fromEntries(entries.map(([, key, item]) => [key, item]));
  }

  /** Reads bytes as Latin-1, one character each. */
  #bytes(bytes: Uint8Array): Uint8Array {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const clean = this.text(text);
    return clean === text ? bytes : Buffer.from(clean, 'latin1');
  }

  #number(value: number | bigint): unknown {
    this.#compile();
    return this.#hasNumbers && this.text(String(value)) !== String(value) ? MASK : value;
  }

  #replaceAll(text: string, mask: (length: number) => string): string {
    const finder = this.#secrets.size === 0 ? undefined : this.#compile();
    // No encoding of a secret is shorter than the secret.
    if (finder === undefined || text.length < finder.shortest) return text;
    const spans = findSpans(finder, text);
    if (spans.length === 0) return text;
    return replaceSpans(text, { spans: merge(spans), from: 0, to: text.length }, mask);
  }

  #compile(): StringFinder | undefined {
    if (this.#isCompiled) return this.#finder;
    const forms = secretForms(this.#secrets);
    this.#finder = forms.length === 0 ? undefined : new StringFinder(forms);
    this.#hasNumbers = [...this.#secrets].some((secret) => /^\s*-?\d+(?:\.\d+)?\s*$/.test(secret));
    this.#isCompiled = true;
    return this.#finder;
  }
}

/** Finds partial secrets on both sides of the gap in a shortened text. */
function halvesAtGap(finder: StringFinder, text: string): TextSpan[] {
  const remark = REMARK.exec(text);
  if (remark === null) return [];
  const gap = { start: remark.index, end: remark.index + remark[0].length };
  return [
    { start: openEnd(finder, text.slice(0, gap.start), MIN_HALF), end: gap.start },
    { start: gap.end, end: gap.end + finder.openStart(text.slice(gap.end), MIN_HALF) },
  ].filter(({ start, end }) => start < end);
}

/** Returns a part of a text with each span that ends within it replaced by the mask. */
function replaceSpans(
  text: string,
  { spans, from, to }: { readonly spans: readonly TextSpan[]; readonly from: number; readonly to: number },
  mask: (length: number) => string,
): string {
  const parts: string[] = [];
  let done = from;
  for (const { start, end } of spans) {
    if (end <= from || end > to) continue;
    parts.push(text.slice(done, Math.max(start, from)), mask(end - start));
    done = end;
  }
  parts.push(text.slice(done, to));
  return parts.join('');
}

/** Finds the secrets in a text, as written and after decoding escapes and line breaks. */
function findSpans(finder: StringFinder, text: string, layers = MAX_LAYERS): TextSpan[] {
  const spans = finder.find(text);
  if (layers === 0) return spans;
  for (const inner of readingsOf(text)) {
    for (const { start, end } of findSpans(finder, inner.text, layers - 1)) {
      spans.push({ start: inner.placeOf(start, false), end: inner.placeOf(end, true) });
    }
  }
  return spans;
}

/** Lists the readings of a text: without escapes, without terminal escapes, and without line breaks. */
function readingsOf(text: string): UnescapedText[] {
  return [unescapeText(text), dropTerminalEscapes(text), joinLines(text)].filter((inner) => inner !== undefined);
}

/** Sorts spans and merges those that touch. */
function merge(spans: TextSpan[]): TextSpan[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/**
 * Returns the position from which the end of a text may be the beginning of a secret, as written or after decoding escapes and line breaks.
 */
function openEnd(finder: StringFinder, text: string, least = 1): number {
  const start = Math.max(0, text.length - longestWritten(finder));
  return start + openEndWithin(finder, { text: text.slice(start), least, layers: MAX_LAYERS });
}

/** Maximum length of a secret when each character is written as an escape within an escape. */
function longestWritten(finder: StringFinder): number {
  return 12 * finder.longest + 128;
}

function openEndWithin(
  finder: StringFinder,
  { text, least, layers }: { readonly text: string; readonly least: number; readonly layers: number },
): number {
  const cut = cutEscape(text);
  // A final "\\" may start an escape or end one.
  const readings = cut === text.length ? [text] : [text, text.slice(0, cut)];
  let from = least === 1 ? cut : text.length;
  for (const reading of readings) {
    const end = finder.openEnd(reading, least);
    if (end < reading.length) from = Math.min(from, end);
    if (layers === 0) continue;
    for (const inner of readingsOf(reading)) {
      const place = openEndWithin(finder, { text: inner.text, least, layers: layers - 1 });
      if (place < inner.text.length) from = Math.min(from, inner.placeOf(place, false));
    }
  }
  return from;
}
