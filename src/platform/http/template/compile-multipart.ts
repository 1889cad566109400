import { isPlainObject } from '../../../tool/json.ts';
import type { CompileContext, DefinitionPath } from './compile-context.ts';
import { type TemplateArguments, fillTemplate, toText } from './fill-template.ts';
import type { TemplatePart } from './template.ts';

/** Sources of a part's bytes: a stored output, a file, or text or base64 in the call. */
const PART_SOURCES = ['output', 'path', 'content'] as const;

export interface RenderedPart {
  readonly name: string;
  readonly from: (typeof PART_SOURCES)[number];
  /** The text itself, the path, or the output id. */
  readonly value: string;
  readonly isBase64: boolean;
  /** The argument to name in error messages. */
  readonly argument: string;
  /** Without a filename, a part that is no file is sent as a plain field. */
  readonly filename: string | undefined;
  readonly type: string | undefined;
}

/** Returns the parts for one call, leaving out those whose arguments have no value. */
export type RenderParts = (args: TemplateArguments) => RenderedPart[];

/** Characters that a media type cannot contain. */
const NO_TYPE = /[^\x20-\x7e]/;

/**
 * Compiles the `multipart` of a request: fields as templates, files as `{ output, path or content, filename, type }`.
 */
export function compileMultipart(section: Readonly<Record<string, unknown>>, context: CompileContext): RenderParts {
  const parts = Object.entries(section).map(([name, given]) => {
    const path = ['multipart', name];
    if (name.includes('{{')) context.report(path, 'must not have a placeholder in its name.');
    return compilePart(name, isPlainObject(given) ? given : { content: given }, { path, context });
  });
  return (args) => parts.flatMap((render) => render(args) ?? []);
}

function compilePart(
  name: string,
  given: Readonly<Record<string, unknown>>,
  { path, context }: { readonly path: DefinitionPath; readonly context: CompileContext },
): (args: TemplateArguments) => RenderedPart | undefined {
  const read = (key: string): readonly TemplatePart[] | undefined =>
    given[key] === undefined ? undefined : context.read(toText(given[key]), [...path, key]).parts;
  const sources = PART_SOURCES.flatMap((from) => {
    const parts = read(from);
    if (parts === undefined) return [];
    // A path or id assembled from pieces could name anything.
    if (from !== 'content' && parts.length > 1)
      context.report([...path, from], 'must be one placeholder such as {{file}}, or have none.');
    const first = parts.find((part) => typeof part === 'object');
    return [{ from, parts, argument: first?.name ?? name }];
  });
  if (sources.length === 0) context.report(path, 'needs content, path or output: where its bytes come from.');
  const filename = read('filename');
  const type = given['type'] === undefined ? undefined : toText(given['type']);
  if (type !== undefined && (NO_TYPE.test(type) || type.includes('{{')))
    context.report([...path, 'type'], 'must be a media type such as image/png, without placeholders.');
  const fill = (parts: readonly TemplatePart[], args: TemplateArguments): string | undefined =>
    fillTemplate(parts, args, { place: `the part "${name}"`, encode: (text) => text });
  return (args) => {
    for (const { from, parts, argument } of sources) {
      const value = fill(parts, args);
      if (value === undefined) continue;
      const isBase64 = from === 'content' && given['encoding'] === 'base64';
      const file = filename === undefined ? undefined : fill(filename, args);
      return { name, from, value, isBase64, argument, filename: file, type };
    }
    return undefined;
  };
}
