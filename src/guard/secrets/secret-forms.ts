import type { SoughtString } from './find-strings.ts';

/** Values below this length count only as separate words. */
export const SHORT_SECRET = 8;
/** Values below this length are never removed. */
export const LEAST_SECRET = 4;

/** Values that are not secret, even in a variable with a secret's name. */
const COMMON_VALUES: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'none',
  'undefined',
  'default',
  'enabled',
  'disabled',
  'auto',
]);
const isWord = (character: string): boolean => /[\p{L}\p{N}_]/u.test(character);
const BASE64 = /[A-Za-z0-9+/_-]/;

/** Decides how to find a value in texts: anywhere, as a separate word, or not at all. */
export function howToFind(secret: string): 'anywhere' | 'as a word' | 'never' {
  const value = secret.trim();
  if (value.length < LEAST_SECRET || COMMON_VALUES.has(value.toLowerCase())) return 'never';
  return value.length < SHORT_SECRET ? 'as a word' : 'anywhere';
}

/** Lists every form of a secret without escapes: plain, line by line, base64 and hex. */
export function secretForms(secrets: Iterable<string>): SoughtString[] {
  const forms = new Map<string, SoughtString>();
  const add = (form: SoughtString): void => {
    const known = forms.get(form.text);
    // A form that counts anywhere wins over one that needs certain neighbours.
    if (known === undefined || (known.accept !== undefined && form.accept === undefined)) forms.set(form.text, form);
  };
  for (const given of secrets) {
    const secret = given.trim();
    const how = howToFind(secret);
    if (how === 'never') continue;
    const isWord = how === 'as a word';
    const hex = Buffer.from(secret).toString('hex');
    for (const text of [...spellings(secret), hex, hex.toUpperCase()]) {
      add(isWord ? { text, accept: wordSpan(text.length) } : { text });
    }
    for (const core of base64Cores(Buffer.from(secret))) {
      for (const text of [core.text, core.text.replaceAll('+', '-').replaceAll('/', '_')]) {
        add({ text, accept: base64Span({ ...core, text }, isWord) });
      }
    }
  }
  return [...forms.values()];
}

function spellings(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const long = lines.length === 1 ? [] : lines.filter((line) => line.length >= SHORT_SECRET);
  // Forms of web pages write a space as "+".
  const all = [secret, ...long].flatMap((text) => [text, text.replaceAll(' ', '+')]);
  // The bytes of UTF-8, each as a character: outputs with unknown encoding are read like this.
  return all.flatMap((text) => [text, Buffer.from(text).toString('latin1')]);
}

interface Base64Core {
  readonly text: string;
  /** True when the neighbouring character contains some of the secret's bits. */
  readonly sharesFirst: boolean;
  readonly sharesLast: boolean;
}

/** Returns the part of a secret's base64 that does not depend on its neighbours, for each of its three positions in a group of bytes. */
function base64Cores(bytes: Buffer): Base64Core[] {
  return [0, 1, 2].flatMap((offset) => {
    const bits = 8 * (offset + bytes.length);
    const written = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const text = written.slice(Math.ceil((8 * offset) / 6), Math.floor(bits / 6));
    return text.length < LEAST_SECRET ? [] : [{ text, sharesFirst: offset > 0, sharesLast: bits % 6 !== 0 }];
  });
}

/** Matches only without a letter, a digit or "_" on either side. */
function wordSpan(length: number): NonNullable<SoughtString['accept']> {
  return (text, start) => {
    const end = start + length;
    const isPart = (start > 0 && isWord(lastCharacter(text, start))) || isWord(firstCharacter(text, end));
    return isPart ? undefined : { start, end };
  };
}

/**
 * Includes the characters on both sides that contain some of its bits, and the padding. `atEnd`: only at the end of the base64, where
 * `user:password` has it, because a short one could occur elsewhere by chance.
 */
function base64Span(core: Base64Core, atEnd: boolean): NonNullable<SoughtString['accept']> {
  return (text, start) => {
    const end = start + core.text.length;
    const from = core.sharesFirst && start > 0 && BASE64.test(text.charAt(start - 1)) ? start - 1 : start;
    let to = core.sharesLast && BASE64.test(text.charAt(end)) ? end + 1 : end;
    if (atEnd && BASE64.test(text.charAt(to))) return undefined;
    while (to < end + 3 && text.charAt(to) === '=') to++;
    return { start: from, end: to };
  };
}

function firstCharacter(text: string, at: number): string {
  return at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : '';
}

function lastCharacter(text: string, before: number): string {
  const code = text.charCodeAt(before - 1);
  return code >= 0xdc00 && code <= 0xdfff && before > 1 ? text.slice(before - 2, before) : text.charAt(before - 1);
}
