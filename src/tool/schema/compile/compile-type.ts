import { describeValue, typeOf } from '../../texts/describe-value.ts';
import { nearestNames } from '../../texts/suggest.ts';
import { acceptAll, type Check } from './check.ts';
import { jsonEqual } from './json-equal.ts';
import type { Report } from './report.ts';

/** The types of JSON Schema. */
export const TYPE_NAMES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

const TYPE_CHECKS: Readonly<Record<string, Check>> = {
  string: (value, report) => typeof value === 'string' || wrongType(value, ['string'], report),
  number: (value, report) => Number.isFinite(value) || wrongType(value, ['number'], report),
  integer: (value, report) => Number.isInteger(value) || wrongType(value, ['integer'], report),
  boolean: (value, report) => typeof value === 'boolean' || wrongType(value, ['boolean'], report),
  object: (value, report) =>
    (typeof value === 'object' && value !== null && !Array.isArray(value)) || wrongType(value, ['object'], report),
  array: (value, report) => Array.isArray(value) || wrongType(value, ['array'], report),
  null: (value, report) => value === null || wrongType(value, ['null'], report),
};

export function compileType(type: unknown): Check {
  if (typeof type === 'string') return TYPE_CHECKS[type] ?? acceptAll;
  const types = Array.isArray(type) ? type.map(String) : [];
  return (value, report) => {
    for (const name of types) if (TYPE_CHECKS[name]?.(value, undefined, undefined)) return true;
    return wrongType(value, types, report);
  };
}

/** Compiles `enum`, or `const` as an enum with one value. */
export function compileEnum(allowed: readonly unknown[]): Check {
  const scalars = allowed.every((item) => typeof item !== 'object' || item === null);
  if (!scalars) {
    return (value, report) => allowed.some((item) => jsonEqual(item, value)) || wrongValue(value, allowed, report);
  }
  if (allowed.length <= 8) return (value, report) => allowed.includes(value) || wrongValue(value, allowed, report);
  const set = new Set(allowed);
  return (value, report) => set.has(value) || wrongValue(value, allowed, report);
}

/** Reports a wrong type. */
export function wrongType(value: unknown, expected: readonly string[], report: Report | undefined): false {
  if (report === undefined) return false;
  return report.add(`must be ${expected.join(' or ')}, got ${describeTyped(value)}`, { expected });
}

/** Reports a value that is not allowed. */
export function wrongValue(value: unknown, allowed: readonly unknown[], report: Report | undefined): false {
  if (report === undefined) return false;
  const [only] = allowed;
  if (allowed.length === 1) return report.add(`must be ${showValue(only)}; got ${showValue(value)}`, { allowed });
  const shown = allowed.slice(0, 20).map(showValue).join(', ');
  const more = allowed.length > 20 ? ` and ${allowed.length - 20} more` : '';
  const names = allowed.filter((item) => typeof item === 'string');
  const [nearest] = typeof value === 'string' ? nearestNames(value, names, 1) : [];
  const hint = nearest === undefined ? '' : `. Did you mean ${describeValue(nearest)}?`;
  return report.add(`must be one of ${shown}${more}; got ${showValue(value)}${hint}`, { allowed });
}

/** Describes a value with its type if that is not obvious: `number 12`, `an array of 3`. */
function describeTyped(value: unknown): string {
  const described = describeValue(value);
  return typeof value === 'object' || value === undefined ? described : `${typeOf(value)} ${described}`;
}

/** Shows short values as JSON and describes others. */
function showValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return describeValue(value);
  try {
    const json = JSON.stringify(value);
    return json.length <= 60 ? json : describeValue(value);
  } catch {
    return describeValue(value);
  }
}
