import { formatPath } from '../../../tool/texts/explain-issues.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { type CompileContext, type DefinitionPath, parseTemplate, type TemplatePart } from './template.ts';
import { type TemplateArguments, fillTemplate, valueOf } from './fill-template.ts';

/** Returns the JSON text for one call, or `undefined` when there is nothing to send. */
export type RenderJson = (args: TemplateArguments) => string | undefined;

const MAX_DEPTH = 100;

/**
 * Compiles a JSON body. A text that is one placeholder becomes the argument with its type; a placeholder inside longer
 * text becomes part of the text. Keys and items whose only placeholder has no value are left out.
 */
export function compileJsonBody(body: unknown, path: DefinitionPath, context: CompileContext): RenderJson {
  if (path.length > MAX_DEPTH) {
    context.report(path, `is nested deeper than ${MAX_DEPTH} levels.`);
    return () => undefined;
  }
  if (typeof body === 'string') return compileText(body, path, context);
  if (Array.isArray(body)) {
    const items = body.map((item, index) => compileJsonBody(item, [...path, index], context));
    return (args) => `[${items.flatMap((render) => render(args) ?? []).join(',')}]`;
  }
  if (isPlainObject(body)) {
    const entries = Object.entries(body).map(([key, value]) => {
      if (key.includes('{{')) context.report([...path, key], 'must not have a placeholder in its name.');
      return { key: JSON.stringify(key), render: compileJsonBody(value, [...path, key], context) };
    });
    return (args) => renderObject(entries, args);
  }
  const fixed = JSON.stringify(body);
  return () => fixed;
}

/** Compiles a JSON body given as text. Placeholders may be inside quotes or replace a value. */
export function compileJsonText(text: string, path: DefinitionPath, context: CompileContext): RenderJson {
  const { parts } = parseTemplate(text);
  let isQuoted = false;
  let source = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      source += part;
      for (const token of part.matchAll(/\\.|"/gs)) if (token[0] === '"') isQuoted = !isQuoted;
    } else {
      const placeholder = text.slice(part.start, part.end);
      source += isQuoted ? placeholder : JSON.stringify(placeholder);
    }
  }
  try {
    return compileJsonBody(JSON.parse(source), path, context);
  } catch {
    const message = 'must be JSON, as its Content-Type says. Placeholders may be inside quotes or in place of a value.';
    context.report(path, message);
    return () => undefined;
  }
}

function compileText(text: string, path: DefinitionPath, context: CompileContext): RenderJson {
  const { parts } = context.read(text, path);
  const [first, ...rest] = parts;
  if (parts.every((part) => typeof part === 'string')) {
    const fixed = JSON.stringify(parts.join(''));
    return () => fixed;
  }
  if (rest.length > 0 || typeof first !== 'object') return (args) => renderText(parts, args, path);
  const { name, fallback } = first;
  const typed = fallback === undefined ? undefined : JSON.stringify(context.typedFallback(name, fallback));
  const sole = { ...first, fallback: undefined };
  return (args) => {
    const value = valueOf(sole, args);
    return value === undefined ? typed : JSON.stringify(value);
  };
}

function renderText(parts: readonly TemplatePart[], args: TemplateArguments, path: DefinitionPath): string | undefined {
  const text = fillTemplate(parts, args, { place: formatPath(path), encode: (value) => value });
  return text === undefined ? undefined : JSON.stringify(text);
}

function renderObject(
  entries: readonly { readonly key: string; readonly render: RenderJson }[],
  args: TemplateArguments,
): string {
  let text = '';
  for (const { key, render } of entries) {
    const value = render(args);
    if (value !== undefined) text += `${text === '' ? '' : ','}${key}:${value}`;
  }
  return `{${text}}`;
}
