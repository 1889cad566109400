const PLACE = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}/g;

/** Fills in each `{{name}}` of a text once: inserted values are not processed again. A name without a value becomes empty. */
export function fillText(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(PLACE, (_, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? '') : ''));
}

/** Fills in every text of a value. */
export function fillValue(value: unknown, values: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (Array.isArray(value)) return value.map((item: unknown) => fillValue(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillValue(item, values)]));
}

/** Lists the names in a text. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(PLACE)].map(([, name = '']) => name);
}
