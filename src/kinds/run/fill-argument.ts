import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { parseTemplate, type Placeholder } from '../../platform/http/template/template.ts';

type Values = Readonly<Record<string, unknown>>;

/** Returns the list of a spread argument, `items` of `{{...items}}`; `undefined` for other arguments. */
export function spreadOf(text: string): string | undefined {
  return /^\{\{\s*(?:\.\.\.|…)\s*([^\s{}]+)\s*\}\}$/.exec(text)?.[1];
}

/** Returns an element for each value of a list, and `key=value` for each of an object. None can be read as a flag. */
function fillSpread(name: string, values: Values, before: string | undefined): string[] {
  const value = Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
  if (value === undefined) {
    if (before?.startsWith('-') === true) throw missing(name, `"${before}"`);
    return [];
  }
  const items = Array.isArray(value)
    ? value
    : isPlainObject(value)
      ? Object.entries(value).map(([key, item]) => `${key}=${toText(item)}`)
      : [value];
  return items.map((item: unknown) => {
    const text = toText(item);
    if (text.startsWith('-') && typeof item !== 'number') throw refuseDash(name, text);
    return text;
  });
}

/**
 * Fills a template argument: one element, or none when a condition or an optional value is missing. `{{...items}}` gives one for
 * each item.
 */
export function fillArgument(
  arg: { readonly text: string; readonly when: string | undefined },
  values: Values,
  before: string | undefined,
): string[] {
  if (arg.when !== undefined && !isTrue(arg.when, values)) return [];
  const list = spreadOf(arg.text);
  if (list !== undefined) return fillSpread(list, values, before);
  const { parts, placeholders } = parseTemplate(arg.text);
  const [only] = placeholders;
  if (only === undefined) return [arg.text];
  let text = '';
  for (const part of parts) {
    const value = typeof part === 'string' ? part : valueOf(part, values);
    if (value === undefined) {
      // If it were omitted after its flag, the flag would take the next element as its value.
      if (before?.startsWith('-') === true && typeof part !== 'string') throw missing(part.name, `"${before}"`);
      return [];
    }
    text += value;
  }
  // A switch that is off: `{{flag}}`.
  if (text === '' && parts.length === 1 && values[only.name] === false) return [];
  const isNumber = parts.length === 1 && typeof values[only.name] === 'number';
  // The whole element counts: an empty value before a literal dash also makes a flag.
  if (text.startsWith('-') && typeof parts[0] !== 'string' && !isNumber) throw refuseDash(only.name, text);
  return [text];
}

/** Fills a template outside the arguments, such as a folder or a variable's value. */
export function fillText(template: string, values: Values, place: string): string {
  return parseTemplate(template)
    .parts.map((part) => {
      if (typeof part === 'string') return part;
      const value = valueOf(part, values);
      if (value !== undefined) return value;
      throw missing(part.name, place);
    })
    .join('');
}

/** True when a call has all values that a template needs. */
export function hasValues(template: string, values: Values): boolean {
  return parseTemplate(template).placeholders.every((placeholder) => valueOf(placeholder, values) !== undefined);
}

/** True unless the condition is `false`, `0`, `no`, `off` or empty. */
export function isTrue(condition: string, values: Values): boolean {
  const text = parseTemplate(condition)
    .parts.map((part) => (typeof part === 'string' ? part : (valueOf(part, values) ?? '')))
    .join('')
    .trim();
  return !/^(?:|false|0|no|off|null)$/i.test(text);
}

/** Converts a value to text: true is `true`, false is empty, as in the original dialect of these files. */
function valueOf({ name, fallback }: Placeholder, values: Values): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined || value === null) return fallback;
  if (value === false) return '';
  return toText(value);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function missing(name: string, place: string): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: `Argument "${name}" is missing: ${place} needs it.`,
    field: name,
    reason: 'is missing',
  });
}

/** A negative number is a value; anything else that starts with a dash could be read as a flag. */
function refuseDash(name: string, value: string): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: `Argument "${name}": a value here must not start with "-", which the command would read as a flag; got ${JSON.stringify(value.slice(0, 40))}. Send a value that starts otherwise.`,
    field: name,
    reason: 'must not start with "-"',
  });
}
