import { jsonEqual, type JsonSchema } from '../../json.ts';
import { acceptAll, allOf, type Check, counted, type Report } from './check.ts';
import { compilePattern, type PatternTest } from '../pattern.ts';
import { describeValue, typeOf } from '../../texts/describe-value.ts';
import { nearestNames } from '../../texts/suggest.ts';

/** A limit by keyword: the condition it sets, and its words in messages. */
type Limits<T> = Readonly<
  Record<string, readonly [holds: (value: T, limit: number) => boolean, rule: (limit: number) => string]>
>;

const NUMBER_LIMITS: Limits<number> = {
  minimum: [(value, limit) => value >= limit, (limit) => `must be at least ${limit}`],
  maximum: [(value, limit) => value <= limit, (limit) => `must be at most ${limit}`],
  exclusiveMinimum: [(value, limit) => value > limit, (limit) => `must be more than ${limit}`],
  exclusiveMaximum: [(value, limit) => value < limit, (limit) => `must be less than ${limit}`],
  multipleOf: [isMultiple, (limit) => `must be a multiple of ${limit}`],
};

// Code points are counted only where UTF-16 units do not settle it.
const LENGTH_LIMITS: Limits<string> = {
  minLength: [
    (value, limit) => value.length >= limit * 2 || (value.length >= limit && codePoints(value) >= limit),
    (limit) => `must be at least ${counted(limit, 'character')} long`,
  ],
  maxLength: [
    (value, limit) => value.length <= limit || (value.length <= limit * 2 && codePoints(value) <= limit),
    (limit) => `must be at most ${counted(limit, 'character')} long`,
  ],
};

/** Compiles the number keywords: `minimum`, `maximum`, their exclusive forms and `multipleOf`. */
export function compileNumber(schema: JsonSchema): Check {
  return allOf(
    Object.entries(NUMBER_LIMITS).flatMap(([keyword, [holds, rule]]): Check[] => {
      const limit = schema[keyword];
      if (typeof limit !== 'number') return [];
      return [
        (value, report) =>
          typeof value !== 'number' || holds(value, limit) || addTo(report, () => `${rule(limit)}, got ${value}`),
      ];
    }),
  );
}

function addTo(report: Report | undefined, message: () => string): false {
  return report === undefined ? false : report.add(message());
}

/** Tolerates the rounding of binary fractions: 19.99 is a multiple of 0.01. */
function isMultiple(value: number, step: number): boolean {
  if (value % step === 0) return true;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= 4 * Number.EPSILON * Math.abs(quotient);
}

/** Compiles the string keywords: `minLength`, `maxLength` (both in code points) and `pattern`. */
export function compileString(schema: JsonSchema): Check {
  const checks = Object.entries(LENGTH_LIMITS).flatMap(([keyword, [holds, rule]]): Check[] => {
    const limit = schema[keyword];
    if (typeof limit !== 'number') return [];
    return [
      (value, report) =>
        typeof value !== 'string' ||
        holds(value, limit) ||
        addTo(report, () => `${rule(limit)}, got ${codePoints(value)}`),
    ];
  });
  const { pattern } = schema;
  if (typeof pattern !== 'string') return allOf(checks);
  // Compiled for the first text: the survey has checked it, and values never reach most of a large schema.
  let matches: PatternTest | undefined;
  checks.push(
    (value, report) =>
      typeof value !== 'string' ||
      (matches ??= compilePattern(pattern))(value) ||
      addTo(report, () => `must match pattern ${pattern}; got ${describeValue(value)}`),
  );
  return allOf(checks);
}

/** Counts code points without building an array of them. */
function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      count--;
      index++;
    }
  }
  return count;
}

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

/** Checks the type first: if it is wrong, other faults are noise. */
export function compileTyped(type: unknown, checks: readonly Check[]): Check {
  if (type === undefined) return allOf(checks);
  const ofType = compileType(type);
  if (checks.length === 0) return ofType;
  const rest = allOf(checks);
  return (value, report, seen) => ofType(value, report, undefined) && rest(value, report, seen);
}

function compileType(type: unknown): Check {
  if (typeof type === 'string') return TYPE_CHECKS[type] ?? acceptAll;
  const types = Array.isArray(type) ? type.map(String) : [];
  return (value, report) => {
    for (const name of types) if (TYPE_CHECKS[name]?.(value, undefined, undefined)) return true;
    return wrongType(value, types, report);
  };
}

export function compileEnum(allowed: readonly unknown[]): Check {
  const scalars = allowed.every((item) => typeof item !== 'object' || item === null);
  if (!scalars) {
    return (value, report) => allowed.some((item) => jsonEqual(item, value)) || wrongValue(value, allowed, report);
  }
  if (allowed.length <= 8) return (value, report) => allowed.includes(value) || wrongValue(value, allowed, report);
  const set = new Set(allowed);
  return (value, report) => set.has(value) || wrongValue(value, allowed, report);
}

export function wrongType(value: unknown, expected: readonly string[], report: Report | undefined): false {
  if (report === undefined) return false;
  return report.add(`must be ${expected.join(' or ')}, got ${describeTyped(value)}`, { expected });
}

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
