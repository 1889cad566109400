import { isPlainObject, type JsonSchema } from '../../../tool/json.ts';
import type { EntryStyle } from './entry-styles.ts';
import { findUnknownNames, parseTemplate, type Template } from './template.ts';

/** Where in a request's definition something is: `['headers', 'X-Id']`. */
export type DefinitionPath = readonly (string | number)[];

/** Something wrong with a request's definition. */
export interface RequestFault {
  readonly path: DefinitionPath;
  readonly message: string;
  /** The characters at fault within the value, where they are known. */
  readonly range?: { readonly start: number; readonly end: number };
}

/** How a definition becomes a request. */
export interface CompileOptions {
  /** The tool's input schema: its properties are the names that placeholders may use. Any name passes without one. */
  readonly schema?: JsonSchema | undefined;
  /** How lists and objects are written in the query and in a form, by the names of the entries. */
  readonly styles?: Readonly<Record<string, EntryStyle>> | undefined;
  /** Lets placeholders stand in scheme, host and port; their values are then `A-Z a-z 0-9 . -` only. */
  readonly allowHostPlaceholders?: boolean | undefined;
  /** Changes literal text and defaults (environment variables, say) after placeholders were told from them. */
  readonly interpolate?: ((text: string) => string) | undefined;
}

/** What the parts of a compilation share: templates are read here, and faults end up here. */
export interface CompileContext {
  readonly faults: readonly RequestFault[];
  readonly styles: Readonly<Record<string, EntryStyle>>;
  /** The arguments of the tool. */
  readonly names: readonly string[];
  report(path: DefinitionPath, message: string): void;
  /** Reads a template; what is wrong in it is reported. */
  read(source: string, path: DefinitionPath): Template;
  /** The default of a placeholder that stands alone, in the type its argument has. */
  typedFallback(name: string, fallback: string): unknown;
}

/** Makes the context for one request's compilation. */
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

/** Whether an argument takes text, so that the default `5` means `"5"`; true where the schema does not say. */
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
