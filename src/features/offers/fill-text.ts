const PLACE = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}/g;

/** A text with `{{name}}` filled in, each once: what is filled in is not looked at again. Nothing stands for a name without a value. */
export function fillText(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(PLACE, (_, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? '') : ''));
}

/** The same in every text of a value. */
export function fillValue(value: unknown, values: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (Array.isArray(value)) return value.map((item: unknown) => fillValue(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillValue(item, values)]));
}

/** The names in a text. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(PLACE)].map(([, name = '']) => name);
}
