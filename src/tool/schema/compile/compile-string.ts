import { describeValue } from '../../texts/describe-value.ts';
import type { JsonSchema } from '../../json.ts';
import { allOf, type Check } from './check.ts';
import { counted } from './counted.ts';
import { compilePattern } from '../pattern.ts';

/** Compiles the limits of strings: `minLength`, `maxLength` (both in code points) and `pattern`. */
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
    const matches = compilePattern(pattern);
    checks.push(
      (value, report) =>
        typeof value !== 'string' ||
        matches(value) ||
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
