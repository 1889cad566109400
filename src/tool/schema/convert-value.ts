const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** The number of decimal digits that every double keeps. */
const EXACT_DIGITS = 15;

/** Converts a value to a JSON Schema type where nothing is lost, and gives `undefined` where something would be. */
export function convertValue(value: unknown, type: string): unknown {
  switch (type) {
    case 'string':
      return typeof value === 'boolean' || Number.isFinite(value) ? String(value) : undefined;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : undefined;
    case 'integer':
      return typeof value === 'string' && INTEGER.test(value) ? exactNumber(value) : undefined;
    case 'number':
      return typeof value === 'string' && DECIMAL.test(value) ? exactNumber(value) : undefined;
    case 'object':
    case 'array':
      return typeof value === 'string' ? parseStructure(value, type) : undefined;
    default:
      return undefined;
  }
}

function exactNumber(text: string): number | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  if (INTEGER.test(text)) return Number.isSafeInteger(number) ? number + 0 : undefined;
  const digits = text
    .replace(/[eE].*$/, '')
    .replaceAll(/\D/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
  const vanished = number === 0 && digits !== '';
  return digits.length <= EXACT_DIGITS && !vanished ? number + 0 : undefined;
}

function parseStructure(text: string, type: 'object' | 'array'): unknown {
  if (!text.trimStart().startsWith(type === 'object' ? '{' : '[')) return undefined;
  try {
    // A key named __proto__ is dropped: code that copies the object by assignment would set its prototype.
    return JSON.parse(text, (key, item: unknown) => (key === '__proto__' ? undefined : item));
  } catch {
    return undefined;
  }
}
