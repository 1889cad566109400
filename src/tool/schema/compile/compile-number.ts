import type { JsonSchema } from '../../json.ts';
import { allOf, type Check } from './check.ts';

/** Compiles the limits of numbers: `minimum`, `maximum`, their exclusive forms and `multipleOf`. */
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

/** Allows for what binary fractions lose: 19.99 is a multiple of 0.01. */
function isMultiple(value: number, step: number): boolean {
  if (value % step === 0) return true;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= 4 * Number.EPSILON * Math.abs(quotient);
}
