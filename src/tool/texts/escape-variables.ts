import { isPlainObject } from '../json.ts';
import { stripDeceiving } from './reveal-hidden.ts';

/** Escapes foreign data for a config file, so that texts that look like variables stay texts. */
export function escapeVariables(value: unknown): unknown {
  return mapTexts(value, { text: escapeText, key: (key) => key });
}

/**
 * Escapes a document that tools are made from, in which keys may become values and values keys. Removes escape sequences and characters
 * that reverse or hide text, and calls `onDeceiving` for them: people read the resulting file.
 */
export function escapeDocument(document: unknown, onDeceiving: () => void): unknown {
  const escape = (text: string): string => {
    const plain = stripDeceiving(text);
    if (plain !== text) onDeceiving();
    return escapeText(plain);
  };
  return mapTexts(document, { text: escape, key: escape });
}

/** Unescapes the keys of a config made from an escaped document: keys have no variables. */
export function unescapeKeys(made: unknown): unknown {
  return mapTexts(made, { text: (text) => text, key: unescapeText });
}

/** Escapes a foreign text, so that parts that look like variables stay text. */
export function escapeText(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** Restores the original of an escaped text. */
export function unescapeText(text: string): string {
  return text.replaceAll('$${', () => '${');
}

/** Joins escaped texts, so that a `$` at the end of one and a `{` at the start of the next form no variable. */
export function joinEscaped(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .reduce((text, part) => text + (text.endsWith('$') && part.startsWith('{') ? '$' : '') + part, '');
}

interface TextChange {
  readonly text: (text: string) => string;
  readonly key: (key: string) => string;
}

/** Copies a value with every text changed. A part that YAML references in several places, even recursively, is copied once. */
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
      // `__proto__` is a key like any other here.
      const settings = { value: map(item), enumerable: true, configurable: true, writable: true };
      Object.defineProperty(copy, change.key(key), settings);
    }
    return copy;
  };
  return map(value);
}
