import { nearestNames } from '../../../tool/texts/suggest.ts';

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
export interface TemplateFault {
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
