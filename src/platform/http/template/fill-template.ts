import { ToolError } from '../../../tool/tool-error.ts';
import type { Placeholder, TemplatePart } from './template.ts';

/** The arguments of one call. */
export type TemplateArguments = Readonly<Record<string, unknown>>;

interface FillOptions {
  /** The place of the text for messages, such as `the header "X-Id"`. */
  readonly place: string;
  /** Encodes a value for its place, or refuses it. Literal text is encoded when the template is compiled. */
  readonly encode: (text: string, placeholder: Placeholder) => string;
  /** Joins the items of a list. */
  readonly separator?: string;
}

/**
 * Fills a template's parts with the arguments of a call.
 *
 * Returns `undefined` when no placeholder has a value, and throws when only some have one.
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

/** Returns the argument of a placeholder, or its default. */
export function valueOf({ name, fallback }: Placeholder, args: TemplateArguments): unknown {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return value ?? fallback ?? value;
}

/** Converts a value to text: scalars as they are, anything else as JSON. */
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

export function refuseArgument(name: string, place: string, reason: string): ToolError {
  const message = `Argument "${name}" cannot go into ${place}: it ${reason}. Send another value.`;
  return new ToolError({ code: 'invalid_arguments', message, field: name, reason });
}

export function missingArgument(name: string, place: string): ToolError {
  const message = `Argument "${name}" is missing: ${place} needs it. Send a value for "${name}".`;
  return new ToolError({ code: 'invalid_arguments', message, field: name, reason: 'is missing' });
}

/** Percent-encodes a value for a path or a query. */
export function percentEncode(text: string, { name }: Placeholder, place: string): string {
  if (!text.isWellFormed()) throw refuseArgument(name, place, 'contains half of a surrogate pair, which is not text');
  return encodeURIComponent(text);
}

function encodeValue(value: unknown, placeholder: Placeholder, { encode, separator }: FillOptions): string {
  if (separator === undefined || !Array.isArray(value)) return encode(toText(value), placeholder);
  return value.map((item) => encode(toText(item), placeholder)).join(separator);
}

/** Characters that a URL cannot contain. `%` is allowed, because the author may have encoded the text. */
const UNSAFE = /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/?]/gu;
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** Percent-encodes the literal text of a URL template where necessary. */
export function encodeLiteral(text: string): string {
  return text.toWellFormed().replace(UNSAFE, encodeURIComponent);
}

/** Returns true for the path segments `.` and `..`, encoded or not. */
export function isDotSegment(segment: string): boolean {
  return DOTS.test(segment);
}
