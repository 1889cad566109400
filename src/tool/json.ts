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

/** Compares two JSON values by content: own keys only, in any order. */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item: unknown, index) => jsonEqual(item, right[index]))
    );
  }
  if (Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  // Both are objects and not arrays.
  const [a, b] = [left as Record<string, unknown>, right as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]));
}

/** Returns the same text for two JSON values exactly when `jsonEqual` holds. */
export function jsonKey(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : `${value === 0 ? 0 : String(value)}`;
  if (Array.isArray(value)) return `[${value.map(jsonKey).join(',')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${jsonKey(item)}`);
  return `{${entries.sort().join(',')}}`;
}

/** Finds the positions of the first two equal items, in linear time. */
export function firstDuplicate(items: readonly unknown[]): readonly [number, number] | undefined {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const key = jsonKey(item);
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, index];
    seen.set(key, index);
  }
  return undefined;
}
