import { isPlainObject } from '../../tool/json.ts';

/** Marks a value that JSON cannot represent. */
const MARK = '$pegboard';

/** Encodes state as JSON that keeps bytes, URLs and dates. */
export function encodeState(state: unknown): string {
  // Not an arrow function: `this` has the value before its `toJSON`, which bytes, URLs and dates have.
  return JSON.stringify(state, function encode(this: Record<string, unknown>, key: string, shown: unknown): unknown {
    const value = this[key];
    if (value instanceof Uint8Array)
      return {
        [MARK]: 'bytes',
        value: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
      };
    if (value instanceof ArrayBuffer) return { [MARK]: 'bytes', value: Buffer.from(value).toString('base64') };
    if (value instanceof URL) return { [MARK]: 'url', value: value.href };
    if (value instanceof Date) return { [MARK]: 'date', value: value.getTime() };
    // Data that looks like a mark must stay data.
    if (isPlainObject(shown) && Object.hasOwn(shown, MARK) && !isEscape(this, key))
      return { [MARK]: 'data', value: shown };
    return shown;
  });
}

/** Decodes the text of `encodeState`. */
export function decodeState(text: string): unknown {
  return decode(JSON.parse(text));
}

function isEscape(parent: Record<string, unknown>, key: string): boolean {
  return key === 'value' && parent[MARK] === 'data' && Object.keys(parent).length === 2;
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (!isPlainObject(value)) return value;
  switch (value[MARK]) {
    case 'bytes':
      return new Uint8Array(Buffer.from(String(value['value']), 'base64'));
    case 'url':
      return new URL(String(value['value']));
    case 'date':
      return new Date(Number(value['value']));
    case 'data':
      return decodeFields(Object(value['value']));
    default:
      return decodeFields(value);
  }
}

function decodeFields(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, decode(part)]));
}
