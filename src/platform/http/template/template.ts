import { nearestNames } from '../../../tool/texts/suggest.ts';
import { isPlainObject, type JsonSchema } from '../../../tool/json.ts';

/** A `{{name}}` or `{{name:-default}}` in a template. */
export interface Placeholder {
  readonly name: string;
  /** The text after `:-`, if any. */
  readonly fallback: string | undefined;
  /** Offset in the template's text, in characters. */
  readonly start: number;
  readonly end: number;
}

/** Literal text, or a placeholder. */
export type TemplatePart = string | Placeholder;

/** An error in a template's text, with its place. */
interface TemplateFault {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** A text split at its placeholders. */
export interface Template {
  readonly source: string;
  readonly parts: readonly TemplatePart[];
  readonly placeholders: readonly Placeholder[];
  readonly faults: readonly TemplateFault[];
}

/**
 * Splits a text at its placeholders once, so that values filled in later are never parsed.
 *
 * A default ends at the first `}}`. Errors are listed in `faults`.
 */
export function parseTemplate(source: string): Template {
  const parts: TemplatePart[] = [];
  const placeholders: Placeholder[] = [];
  const faults: TemplateFault[] = [];
  let from = 0;
  for (let start = source.indexOf('{{'); start !== -1; start = source.indexOf('{{', from)) {
    if (start > from) parts.push(source.slice(from, start));
    const close = source.indexOf('}}', start + 2);
    if (close === -1) {
      const shown = source.slice(start, start + 40);
      const message = `placeholder "${shown}" is not closed. End it with "}}".`;
      return { source, parts, placeholders, faults: [...faults, { message, start, end: source.length }] };
    }
    from = close + 2;
    const placeholder = readPlaceholder(source.slice(start + 2, close), { start, end: from });
    if (isReadable(placeholder.name)) {
      parts.push(placeholder);
      placeholders.push(placeholder);
    } else {
      const message = `"${source.slice(start, from).slice(0, 80)}" is not a placeholder. Write {{name}} or {{name:-default}}.`;
      faults.push({ message, start, end: from });
    }
  }
  if (from < source.length) parts.push(source.slice(from));
  return { source, parts, placeholders, faults };
}

/** Lists the placeholders that name no argument, with the valid names. */
export function findUnknownNames(template: Template, known: Iterable<string>): TemplateFault[] {
  const names = [...known];
  const wrong = template.placeholders.filter(({ name }) => !names.includes(name));
  return wrong.map(({ name, start, end }) => {
    const [nearest] = nearestNames(name, names, 1);
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    const listed = names.length === 0 ? 'The tool has none.' : `Use one of: ${names.join(', ')}.`;
    return { message: `unknown argument "${name}".${hint} ${listed}`, start, end };
  });
}

function readPlaceholder(inner: string, place: { readonly start: number; readonly end: number }): Placeholder {
  const at = inner.indexOf(':-');
  return at === -1
    ? { name: inner.trim(), fallback: undefined, ...place }
    : { name: inner.slice(0, at).trim(), fallback: inner.slice(at + 2), ...place };
}

/** Argument names are schema property names and may contain nearly anything; braces and controls are typing errors. */
function isReadable(name: string): boolean {
  return name !== '' && name.length <= 256 && !/[{}\p{Cc}]/u.test(name);
}

/** Stands for a placeholder while a template is split by its literal text. */
export const MARK = '\0';

/** Returns a template's text with one mark for each placeholder. */
export function markPlaceholders({ parts }: Template): string {
  return parts.map((part) => (typeof part === 'string' ? part.replaceAll(MARK, '') : MARK)).join('');
}

/** Converts slices of a marked text back to parts. Pass each slice once, in order. */
export function createPartReader(placeholders: readonly Placeholder[]): (slice: string) => TemplatePart[] {
  let next = 0;
  return (slice) => {
    const parts: TemplatePart[] = [];
    for (const [index, literal] of slice.split(MARK).entries()) {
      const placeholder = index === 0 ? undefined : placeholders[next++];
      if (placeholder !== undefined) parts.push(placeholder);
      if (literal !== '') parts.push(literal);
    }
    return parts;
  };
}

export const ENTRY_STYLES = ['comma', 'space', 'pipe', 'tab', 'deep', 'spread', 'json'] as const;

/**
 * The style in which a list or an object is written to a query or a form.
 *
 * `comma`, `space`, `pipe` and `tab` join all items in one value. `deep` writes `key[name]=…` for each part, `spread` an
 * entry for each key of an object, `json` JSON.
 */
export type EntryStyle = (typeof ENTRY_STYLES)[number];

/** A path within a request's definition, such as `['headers', 'X-Id']`. */
export type DefinitionPath = readonly (string | number)[];

/** An error in a request's definition. */
export interface RequestFault {
  readonly path: DefinitionPath;
  readonly message: string;
  /** The offending characters within the value, if known. */
  readonly range?: { readonly start: number; readonly end: number };
}

export interface CompileOptions {
  /** The tool's input schema. Placeholders may use only its properties; without a schema, any name. */
  readonly schema?: JsonSchema | undefined;
  /** Styles for lists and objects in the query or a form, by entry name. */
  readonly styles?: Readonly<Record<string, EntryStyle>> | undefined;
  /** Allows placeholders in scheme, host and port; their values may contain only `A-Z a-z 0-9 . -`. */
  readonly allowHostPlaceholders?: boolean | undefined;
  /** Changes literal text and defaults, for example environment variables, after placeholders are parsed. */
  readonly interpolate?: ((text: string) => string) | undefined;
}

/** State shared by the parts of one compilation: it parses templates and collects faults. */
export interface CompileContext {
  readonly faults: readonly RequestFault[];
  readonly styles: Readonly<Record<string, EntryStyle>>;
  /** The names of the tool's arguments. */
  readonly names: readonly string[];
  report(path: DefinitionPath, message: string): void;
  /** Parses a template and reports its faults. */
  read(source: string, path: DefinitionPath): Template;
  /** Converts the default of a placeholder that is a whole value to the type of its argument. */
  typedFallback(name: string, fallback: string): unknown;
}

export function createCompileContext({ schema, interpolate, styles = {} }: CompileOptions): CompileContext {
  const faults: RequestFault[] = [];
  const properties = isPlainObject(schema?.['properties']) ? schema['properties'] : {};
  const isOpen = schema === undefined || schema['additionalProperties'] === true;
  return {
    faults,
    styles,
    names: Object.keys(properties),
    report: (path, message) => faults.push({ path, message }),
    read: (source, path) => {
      const template = parseTemplate(source);
      const unknown = isOpen ? [] : findUnknownNames(template, Object.keys(properties));
      for (const { message, start, end } of [...template.faults, ...unknown]) {
        faults.push({ path, message, range: { start, end } });
      }
      return interpolate === undefined ? template : withText(template, interpolate);
    },
    typedFallback: (name, fallback) => (isText(properties[name]) ? fallback : parseJson(fallback)),
  };
}

function withText(template: Template, change: (text: string) => string): Template {
  const parts = template.parts.map((part) => {
    if (typeof part === 'string') return change(part);
    return part.fallback === undefined ? part : { ...part, fallback: change(part.fallback) };
  });
  return { ...template, parts, placeholders: parts.filter((part) => typeof part !== 'string') };
}

/**
 * Returns true when an argument takes text, so that the default `5` means `"5"`. True when the schema gives no type.
 */
function isText(property: unknown): boolean {
  const type = isPlainObject(property) ? property['type'] : undefined;
  return type === undefined || (Array.isArray(type) ? type.includes('string') : type === 'string');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
