import { ToolError } from '../../../tool/tool-error.ts';
import type { Placeholder, TemplatePart } from './template.ts';

/** The arguments of one call. */
export type TemplateArguments = Readonly<Record<string, unknown>>;

/** How a template is filled. */
export interface FillOptions {
  /** Where the text goes, for messages: `the header "X-Id"`. */
  readonly place: string;
  /** Makes a value fit for the place, or refuses it. Literal text was made fit when the template was compiled. */
  readonly encode: (text: string, placeholder: Placeholder) => string;
  /** What stands between the items of a list. */
  readonly separator?: string;
}

/**
 * Puts the arguments of a call into a template's parts.
 *
 * Gives `undefined` when none of its placeholders has a value, and refuses when only some have.
 */
export function fillTemplate(
  parts: readonly TemplatePart[],
  args: TemplateArguments,
  options: FillOptions,
): string | undefined {
  let text = '';
  let filled = 0;
  let missing: Placeholder | undefined;
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = valueOf(part, args);
    if (value === undefined || value === null) missing ??= part;
    else {
      text += encodeValue(value, part, options);
      filled++;
    }
  }
  if (missing === undefined) return text;
  if (filled > 0) throw missingArgument(missing.name, options.place);
  return undefined;
}

/** The argument a placeholder stands for, or its default. */
export function valueOf({ name, fallback }: Placeholder, args: TemplateArguments): unknown {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return value ?? fallback ?? value;
}

/** A value as text: scalars as they are, anything else as JSON. */
export function toText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      return JSON.stringify(value) ?? '';
  }
}

/** The error for an argument that its place cannot take. */
export function refuseArgument(name: string, place: string, reason: string): ToolError {
  const message = `Argument "${name}" cannot go into ${place}: it ${reason}. Send another value.`;
  return new ToolError({ code: 'invalid_arguments', message, field: name, reason });
}

/** The error for an argument that a place needs. */
export function missingArgument(name: string, place: string): ToolError {
  const message = `Argument "${name}" is missing: ${place} needs it. Send a value for "${name}".`;
  return new ToolError({ code: 'invalid_arguments', message, field: name, reason: 'is missing' });
}

/** Percent-encodes a value for a path or a query; every byte arrives as it was. */
export function percentEncode(text: string, { name }: Placeholder, place: string): string {
  if (!text.isWellFormed()) throw refuseArgument(name, place, 'holds half of a surrogate pair, which is not text');
  return encodeURIComponent(text);
}

function encodeValue(value: unknown, placeholder: Placeholder, { encode, separator }: FillOptions): string {
  if (separator === undefined || !Array.isArray(value)) return encode(toText(value), placeholder);
  return value.map((item) => encode(toText(item), placeholder)).join(separator);
}
