import { isPlainObject } from '../../tool/json.ts';
import { MASK } from '../../guard/secrets/redactor.ts';

/** Takes secrets out of a text. */
export type RedactText = (text: string) => string;

/** A JSON value without secrets in its texts, keys and numbers: itself where it has none. It stays JSON, unlike its text. */
export function redactJson<T>(value: T, redact: RedactText): T {
  const text = JSON.stringify(value);
  if (text === undefined || redact(text) === text) return value;
  // Only texts, keys and numbers change, so the shape stays.
  return clean(JSON.parse(text), redact) as T;
}

function clean(value: unknown, redact: RedactText): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redact(String(value)) === String(value) ? value : MASK;
  if (Array.isArray(value)) return value.map((item) => clean(item, redact));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), clean(item, redact)]));
}
