import { isPlainObject } from '../json.ts';
import { stripDeceiving } from './reveal-hidden.ts';

/** Escapes data from elsewhere for a config file: texts that look like variables stay texts. */
export function escapeVariables(value: unknown): unknown {
  return mapTexts(value, { text: escapeText, key: (key) => key });
}

/**
 * The same for a document that tools are made from, where keys may become values and values keys. Escape sequences and characters that
 * turn or hide text are taken out, and `onDeceiving` is called: people read the file that is made of it.
 */
export function escapeDocument(document: unknown, onDeceiving: () => void): unknown {
  const escape = (text: string): string => {
    const plain = stripDeceiving(text);
    if (plain !== text) onDeceiving();
    return escapeText(plain);
  };
  return mapTexts(document, { text: escape, key: escape });
}

/** What was made of an escaped document: keys of a config file have no variables. */
export function unescapeKeys(made: unknown): unknown {
  return mapTexts(made, { text: (text) => text, key: unescapeText });
}

/** Escapes a text from elsewhere: what looks like a variable in it stays text. */
export function escapeText(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** A text of an escaped document as it was. */
export function unescapeText(text: string): string {
  return text.replaceAll('$${', () => '${');
}

/** Joins texts that are escaped already: a `$` at the end of one and a `{` at the start of the next make no variable. */
export function joinEscaped(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .reduce((text, part) => text + (text.endsWith('$') && part.startsWith('{') ? '$' : '') + part, '');
}

interface TextChange {
  readonly text: (text: string) => string;
  readonly key: (key: string) => string;
}

/** A copy with every text changed. YAML may name one part in many places, itself included: it is copied once. */
function mapTexts(value: unknown, change: TextChange): unknown {
  const copies = new Map<object, unknown>();
  const map = (part: unknown): unknown => {
    if (typeof part === 'string') return change.text(part);
    if (typeof part !== 'object' || part === null) return part;
    const known = copies.get(part);
    if (known !== undefined) return known;
    if (Array.isArray(part)) {
      const items: unknown[] = [];
      copies.set(part, items);
      for (const item of part) items.push(map(item));
      return items;
    }
    if (!isPlainObject(part)) return part;
    const copy: Record<string, unknown> = {};
    copies.set(part, copy);
    for (const [key, item] of Object.entries(part)) {
      // A key such as __proto__ is a key like any other.
      const settings = { value: map(item), enumerable: true, configurable: true, writable: true };
      Object.defineProperty(copy, change.key(key), settings);
    }
    return copy;
  };
  return map(value);
}
