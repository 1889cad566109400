/** A JSON Schema document, draft 2020-12 unless its `$schema` says otherwise. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Tells whether a text is this value as JSON, however it is spaced. */
export function isJsonOf(text: string, value: unknown): boolean {
  // Most texts are none, and are not parsed to find that out.
  if (typeof value === 'object' && value !== null && !/^\s*[[{]/.test(text)) return false;
  try {
    return text === JSON.stringify(value) || JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

/** Tells a plain `{}` (or an object without a prototype) from arrays, class instances and scalars. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}
