import { isPlainObject } from '../../../tool/json.ts';
import { toText } from './fill-template.ts';

export const ENTRY_STYLES = ['comma', 'space', 'pipe', 'tab', 'deep', 'spread', 'json'] as const;

/**
 * The style in which a list or an object is written to a query or a form.
 *
 * `comma`, `space`, `pipe` and `tab` join all items in one value. `deep` writes `key[name]=…` for each part, `spread` an
 * entry for each key of an object, `json` JSON.
 */
export type EntryStyle = (typeof ENTRY_STYLES)[number];

const SEPARATORS = { comma: ',', space: '%20', pipe: '%7C', tab: '%09' } as const;

/** Lists the names and encoded values of a list or an object, in sending order. */
export function writeStyled(
  entry: { readonly key: string; readonly style: EntryStyle | undefined },
  value: object,
  encode: (text: string) => string,
): (readonly [key: string, text: string])[] {
  const { key, style } = entry;
  switch (style) {
    case 'deep':
      return writeDeep(key, value, encode);
    case 'spread':
      return Array.isArray(value) ? repeatKey(key, value, encode) : spreadKeys(value, encode);
    case 'json':
      return [[key, encode(JSON.stringify(value))]];
    case 'comma':
    case 'space':
    case 'pipe':
    case 'tab': {
      const parts: unknown[] = Array.isArray(value)
        ? value
        : Object.entries(value)
            .filter(([, part]) => isGiven(part))
            .flat();
      const texts = parts.filter(isGiven).map((part) => encode(toText(part)));
      return texts.length === 0 ? [] : [[key, texts.join(SEPARATORS[style])]];
    }
    case undefined:
      return Array.isArray(value) ? repeatKey(key, value, encode) : [[key, encode(toText(value))]];
  }
}

function repeatKey(key: string, list: readonly unknown[], encode: (text: string) => string): [string, string][] {
  return list.filter(isGiven).map((item) => [key, encode(toText(item))]);
}

function spreadKeys(value: object, encode: (text: string) => string): [string, string][] {
  return Object.entries(value).flatMap(([name, part]) => repeatKey(encode(name), [part].flat(), encode));
}

function writeDeep(key: string, value: unknown, encode: (text: string) => string): [string, string][] {
  if (!isGiven(value)) return [];
  const parts = Array.isArray(value) ? [...value.entries()] : isPlainObject(value) ? Object.entries(value) : undefined;
  if (parts === undefined) return [[key, encode(toText(value))]];
  return parts.flatMap(([name, part]) => writeDeep(`${key}%5B${encode(String(name))}%5D`, part, encode));
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}
