import { ToolError } from '../../core/tool-error.ts';
import { parseTemplate, type Placeholder } from '../../http/template.ts';

type Values = Readonly<Record<string, unknown>>;

/** A template argument with its values: one element, or none when a condition or a value is missing. */
export function fillArgument(
  arg: { readonly text: string; readonly when: string | undefined },
  values: Values,
): string[] {
  if (arg.when !== undefined && !isTrue(arg.when, values)) return [];
  const { parts, placeholders } = parseTemplate(arg.text);
  if (placeholders.length === 0) return [arg.text];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = valueOf(part, values);
    if (value === undefined) return [];
    if (text === '' && value.startsWith('-') && typeof values[part.name] !== 'number') throw refuseDash(part, value);
    text += value;
  }
  // An element that is nothing but an empty value is no element: `{{flag}}` of a false flag.
  return text === '' ? [] : [text];
}

/** A template outside the arguments, such as a folder or a variable's value. */
export function fillText(template: string, values: Values, place: string): string {
  return parseTemplate(template)
    .parts.map((part) => {
      if (typeof part === 'string') return part;
      const value = valueOf(part, values);
      if (value !== undefined) return value;
      throw new ToolError({
        code: 'invalid_arguments',
        message: `Argument "${part.name}" is missing: ${place} needs it.`,
        field: part.name,
        reason: 'is missing',
      });
    })
    .join('');
}

/** Whether a condition holds: `false`, `0`, `no`, `off` and nothing at all do not. */
export function isTrue(condition: string, values: Values): boolean {
  const text = parseTemplate(condition)
    .parts.map((part) => (typeof part === 'string' ? part : (valueOf(part, values) ?? '')))
    .join('')
    .trim();
  return !/^(?:|false|0|no|off|null)$/i.test(text);
}

/** A value as text: true is `true`, false is nothing, as the files this dialect comes from expect. */
function valueOf({ name, fallback }: Placeholder, values: Values): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined || value === null) return fallback;
  if (value === false) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A negative number is a value; any other that starts with a dash could be read as a flag. */
function refuseDash(part: Placeholder, value: string): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: `Argument "${part.name}": a value here must not start with "-", which the command would read as a flag; got ${JSON.stringify(value.slice(0, 40))}. Send a value that starts otherwise.`,
    field: part.name,
    reason: 'must not start with "-"',
  });
}
