/** Describes a value briefly for error messages: `"abc"`, `12`, `an array of 3`, `an object`. */
export function describeValue(value: unknown, limit = 60): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > limit ? `${value.slice(0, limit)}…` : value);
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'bigint':
      return `${value}n`;
    case 'function':
      return 'a function';
    case 'symbol':
      return 'a symbol';
    default:
      if (value === null) return 'null';
      return Array.isArray(value) ? `an array of ${value.length}` : 'an object';
  }
}

/** Returns the JSON Schema type of a value for messages. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
