import type { CompileContext, DefinitionPath, EntryStyle, Placeholder, TemplatePart } from './template.ts';
import {
  encodeLiteral,
  fillTemplate,
  percentEncode,
  refuseArgument,
  type TemplateArguments,
  toText,
  valueOf,
} from './fill-template.ts';
import { isPlainObject } from '../../../tool/json.ts';

/** One `key=value` of a query or a form. */
export interface Entry {
  /** The key, encoded. */
  readonly key: string;
  /** The value with its literal text encoded; `undefined` for a key without `=`. */
  readonly value: readonly TemplatePart[] | undefined;
  readonly place: string;
  /** The placeholder that is the whole value. Lists and objects in it are written in the entry's style. */
  readonly sole: Placeholder | undefined;
  /** Default: lists repeat the key, objects become JSON. */
  readonly style: EntryStyle | undefined;
}

/** Renders the entries that a call sends, as `a=1&b=2`. */
export function renderEntries(entries: readonly Entry[], args: TemplateArguments): string {
  let text = '';
  const add = (key: string, value: string | undefined): void => {
    text += `${text === '' ? '' : '&'}${key}${value === undefined ? '' : `=${value}`}`;
  };
  for (const entry of entries) {
    const { key, value, place, sole } = entry;
    if (value === undefined) {
      add(key, undefined);
      continue;
    }
    const encode = (given: string, placeholder: Placeholder): string => percentEncode(given, placeholder, place);
    const given = sole === undefined ? undefined : valueOf(sole, args);
    if (sole !== undefined && typeof given === 'object' && given !== null) {
      for (const [name, text] of writeStyled(entry, given, (part) => encode(part, sole))) {
        // Keys from a call must not imitate keys set by the config.
        if (entry.style === 'spread' && entries.some((other) => other !== entry && other.key === name))
          throw refuseArgument(sole.name, place, `has "${decodeURIComponent(name)}", which the request sets itself`);
        add(name, text);
      }
      continue;
    }
    const filled = fillTemplate(value, args, { place, encode });
    if (filled !== undefined) add(key, filled);
  }
  return text;
}

/** Compiles a `query` or form section: keys are fixed, values are templates. */
export function toEntries(section: unknown, path: DefinitionPath, context: CompileContext): Entry[] {
  if (section === undefined || section === null) return [];
  if (typeof section !== 'object' || Array.isArray(section)) {
    context.report(path, 'must map names to values.');
    return [];
  }
  return Object.entries(section).flatMap(([name, given]) => {
    if (name.includes('{{')) context.report([...path, name], 'must not have a placeholder in its name.');
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    return values.flatMap((value) => {
      if (value === null || value === undefined) return [];
      if (typeof value === 'object') {
        context.report([...path, name], 'must be text, a number, true, false or a list of these.');
        return [];
      }
      const { parts } = context.read(toText(value), [...path, name]);
      const encoded = mapText(parts, (text) => encodeURIComponent(text.toWellFormed()));
      return [{ ...toEntry(encodeURIComponent(name.toWellFormed()), encoded, name), style: context.styles[name] }];
    });
  });
}

/** Compiles a text such as `a=1&b={{b}}` whose placeholders are replaced by marks. */
export function toTextEntries(
  text: string,
  options: {
    /** Converts slices of the text, in order, to parts. */
    readonly take: (slice: string) => TemplatePart[];
    readonly path: DefinitionPath;
    readonly context: CompileContext;
  },
): Entry[] {
  const { take, path, context } = options;
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [key = '', ...rest] = pair.split('=');
      const keyParts = take(key);
      if (keyParts.some((part) => typeof part !== 'string'))
        context.report(path, 'must not have a placeholder where the name of a value stands: write name={{value}}.');
      const value = rest.length === 0 ? undefined : mapText(take(rest.join('=')), encodeLiteral);
      const name = keyParts.map((part) => (typeof part === 'string' ? part : part.name)).join('');
      return toEntry(encodeLiteral(name), value, name);
    });
}

function toEntry(key: string, value: readonly TemplatePart[] | undefined, name: string): Entry {
  const [first, ...rest] = value ?? [];
  const sole = rest.length === 0 && typeof first === 'object' ? first : undefined;
  return { key, value, place: `the value "${name}"`, sole, style: undefined };
}

function mapText(parts: readonly TemplatePart[], change: (text: string) => string): TemplatePart[] {
  return parts.map((part) => (typeof part === 'string' ? change(part) : part));
}

const SEPARATORS = { comma: ',', space: '%20', pipe: '%7C', tab: '%09' } as const;

/** Lists the names and encoded values of a list or an object, in sending order. */
function writeStyled(
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
