import type { SchemaNode } from '../../../tool/parameters/schema-node.ts';

/** Describes keywords in words, so that a model still knows a rule that its schema cannot express. */
export function constraintText(node: SchemaNode, keywords: readonly string[]): string {
  const left = new Set(keywords.filter((keyword) => node[keyword] !== undefined));
  const parts: string[] = [];
  for (const [min, max, unit] of RANGES) {
    const low = left.delete(min) ? node[min] : undefined;
    const high = left.delete(max) ? node[max] : undefined;
    const text = rangeText(low, high, unit);
    if (text) parts.push(text);
  }
  for (const keyword of left) {
    const text = WORDS[keyword]?.(node[keyword]);
    parts.push(text ?? `${keyword}: ${brief(node[keyword])}`);
  }
  return parts.filter((part) => part !== '').join(', ');
}

export function withRemark(text: unknown, remark: string): string {
  const own = typeof text === 'string' ? text.trim() : '';
  if (remark === '') return own;
  return own === '' ? `(${remark})` : `${own} (${remark})`;
}

const RANGES = [
  ['minLength', 'maxLength', 'character'],
  ['minItems', 'maxItems', 'item'],
  ['minProperties', 'maxProperties', 'key'],
  ['minimum', 'maximum', ''],
] as const;

const WORDS: Readonly<Record<string, (value: unknown) => string>> = {
  exclusiveMinimum: (value) => `more than ${brief(value)}`,
  exclusiveMaximum: (value) => `less than ${brief(value)}`,
  multipleOf: (value) => `a multiple of ${brief(value)}`,
  pattern: (value) => `matches ${plain(value)}`,
  format: (value) => `format: ${plain(value)}`,
  uniqueItems: (value) => (value === true ? 'no item twice' : ''),
  default: (value) => `default: ${brief(value)}`,
  examples: (value) =>
    Array.isArray(value) && value.length > 0 ? `e.g. ${value.slice(0, 3).map(brief).join(', ')}` : '',
};

function rangeText(low: unknown, high: unknown, unit: string): string {
  const counted = (count: unknown) => `${brief(count)}${unit === '' ? '' : ` ${unit}${count === 1 ? '' : 's'}`}`;
  if (low !== undefined && high !== undefined) {
    return low === high ? `exactly ${counted(low)}` : `${brief(low)} to ${counted(high)}`;
  }
  if (low !== undefined) return `at least ${counted(low)}`;
  return high === undefined ? '' : `at most ${counted(high)}`;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : brief(value);
}
