import { createHash, randomBytes } from 'node:crypto';
import { isPlainObject } from '../../../tool/json.ts';

/** A hash of values that is the same for the same values, in whichever order keys stand. */
export function digest(...values: readonly unknown[]): string {
  return createHash('sha256').update(write(values)).digest('hex');
}

/** Writes a value so that no other one is written the same. An instance of an unknown class is like no other value. */
function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (isPlainObject(value)) {
    const keys = Object.keys(value).toSorted();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value[key])}`).join(',')}}`;
  }
  if (value instanceof Date) return `date(${value.getTime()})`;
  if (value instanceof Map) return `map(${write([...value])})`;
  if (value instanceof Set) return `set(${write([...value])})`;
  if (ArrayBuffer.isView(value))
    return `bytes(${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')})`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return `unknown(${randomBytes(16).toString('hex')})`;
  return `${typeof value}(${Object.is(value, -0) ? '-0' : String(value)})`;
}
