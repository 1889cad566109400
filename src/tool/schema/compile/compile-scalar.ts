import type { JsonSchema } from '../../json.ts';
import { allOf, type Check } from './check.ts';
import { counted } from './report.ts';
import { compilePattern, type PatternTest } from '../pattern.ts';
import { describeValue } from '../../texts/describe-value.ts';

/** Compiles the number keywords: `minimum`, `maximum`, their exclusive forms and `multipleOf`. */
export function compileNumber(schema: JsonSchema): Check {
  const checks: Check[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number') {
    checks.push(
      (value, report) =>
        typeof value !== 'number' ||
        value >= minimum ||
        (report !== undefined && report.add(`must be at least ${minimum}, got ${value}`)),
    );
  }
  if (typeof maximum === 'number') {
    checks.push(
      (value, report) =>
        typeof value !== 'number' ||
        value <= maximum ||
        (report !== undefined && report.add(`must be at most ${maximum}, got ${value}`)),
    );
  }
  if (typeof exclusiveMinimum === 'number') {
    checks.push(
      (value, report) =>
        typeof value !== 'number' ||
        value > exclusiveMinimum ||
        (report !== undefined && report.add(`must be more than ${exclusiveMinimum}, got ${value}`)),
    );
  }
  if (typeof exclusiveMaximum === 'number') {
    checks.push(
      (value, report) =>
        typeof value !== 'number' ||
        value < exclusiveMaximum ||
        (report !== undefined && report.add(`must be less than ${exclusiveMaximum}, got ${value}`)),
    );
  }
  if (typeof multipleOf === 'number') {
    checks.push(
      (value, report) =>
        typeof value !== 'number' ||
        isMultiple(value, multipleOf) ||
        (report !== undefined && report.add(`must be a multiple of ${multipleOf}, got ${value}`)),
    );
  }
  return allOf(checks);
}

/** Tolerates the rounding of binary fractions: 19.99 is a multiple of 0.01. */
function isMultiple(value: number, step: number): boolean {
  if (value % step === 0) return true;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= 4 * Number.EPSILON * Math.abs(quotient);
}

/** Compiles the string keywords: `minLength`, `maxLength` (both in code points) and `pattern`. */
export function compileString(schema: JsonSchema): Check {
  const checks: Check[] = [];
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === 'number') {
    checks.push(
      (value, report) =>
        typeof value !== 'string' ||
        value.length >= minLength * 2 ||
        (value.length >= minLength && codePoints(value) >= minLength) ||
        (report !== undefined &&
          report.add(`must be at least ${counted(minLength, 'character')} long, got ${codePoints(value)}`)),
    );
  }
  if (typeof maxLength === 'number') {
    checks.push(
      (value, report) =>
        typeof value !== 'string' ||
        value.length <= maxLength ||
        (value.length <= maxLength * 2 && codePoints(value) <= maxLength) ||
        (report !== undefined &&
          report.add(`must be at most ${counted(maxLength, 'character')} long, got ${codePoints(value)}`)),
    );
  }
  if (typeof pattern === 'string') {
    // Compiled for the first text: the survey has checked it, and values never reach most of a large schema.
    let matches: PatternTest | undefined;
    checks.push(
      (value, report) =>
        typeof value !== 'string' ||
        (matches ??= compilePattern(pattern))(value) ||
        (report !== undefined && report.add(`must match pattern ${pattern}; got ${describeValue(value)}`)),
    );
  }
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
