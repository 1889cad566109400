import { isPlainObject, type JsonSchema } from '../../../tool/json.ts';
import type { EntryStyle } from './entry-styles.ts';
import { findUnknownNames, parseTemplate, type Template } from './template.ts';

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

/** Creates the context for compiling one request. */
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
