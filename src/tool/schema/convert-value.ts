import { DEFAULT_INPUT_LIMITS } from '../input-limits.ts';
import { JsonMeter } from '../json-text/json-meter.ts';

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** The number of decimal digits that every double preserves. */
const EXACT_DIGITS = 15;

/** The number of values that JSON texts may still add. */
export interface ValueBudget {
  left: number;
}

/** Converts a value to a JSON Schema type without loss; `undefined` if that is impossible. */
export function convertValue(value: unknown, type: string, budget: ValueBudget): unknown {
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
      return typeof value === 'string' ? parseStructure(value, type, budget) : undefined;
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

function parseStructure(text: string, type: 'object' | 'array', budget: ValueBudget): unknown {
  if (!text.trimStart().startsWith(type === 'object' ? '{' : '[')) return undefined;
  const meter = new JsonMeter({ values: budget.left, depth: DEFAULT_INPUT_LIMITS.depth });
  if (meter.push(text) !== undefined) return undefined;
  budget.left = meter.left;
  try {
    return NEEDS_REVIVER.test(text) ? JSON.parse(text, revive) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Matches texts that may contain a `__proto__` key, or a number too large for JSON. */
const NEEDS_REVIVER = /__proto__|\\u|[eE]\+?\d{3}|\d{200}/;

/** Drops `__proto__` keys, which code that copies by assignment would take for the prototype, and refuses `1e400`. */
function revive(key: string, item: unknown): unknown {
  if (typeof item === 'number' && !Number.isFinite(item)) throw new RangeError('not a finite number');
  return key === '__proto__' ? undefined : item;
}
