/** A JSON Schema document, draft 2020-12 unless its `$schema` says otherwise. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Returns true when a text is this value as JSON, with any whitespace. */
export function isJsonOf(text: string, value: unknown): boolean {
  // Most texts are not JSON; this avoids parsing them.
  if (typeof value === 'object' && value !== null && !/^\s*[[{]/.test(text)) return false;
  try {
    return text === JSON.stringify(value) || JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

/** Returns true for a plain `{}` or an object without a prototype, not for arrays and class instances. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}
