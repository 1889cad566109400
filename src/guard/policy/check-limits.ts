import { describeValue } from '../../tool/texts/describe-value.ts';
import type { ToolIssue } from '../../tool/tool-error.ts';
import { compilePattern } from '../../tool/schema/pattern.ts';
import { findValues } from '../../tool/parameters/find-values.ts';
import type { ArgumentLimits } from './policy-section.ts';

/** Returns the fault of one value, or `undefined`. */
type Limit = (value: unknown) => string | undefined;

/** Finds the parts of a call's arguments that the policy does not allow. */
export type LimitCheck = (args: unknown) => ToolIssue[];

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Compiles the limits of one tool's arguments. A pattern that cannot run accepts nothing. */
export function compileLimits(limits: Readonly<Record<string, ArgumentLimits>>): LimitCheck {
  const compiled = Object.entries(limits).map(([name, limit]) => ({ name, rules: compileArgument(limit) }));
  return (args) =>
    compiled.flatMap(({ name, rules }) =>
      findValues(args, name).flatMap(({ path, value }) =>
        rules
          .map((rule) => rule(value))
          .filter((fault) => fault !== undefined)
          .map((fault) => ({ path, message: `${fault}; got ${describeValue(value)}` })),
      ),
    );
}

function compileArgument(limits: ArgumentLimits): Limit[] {
  const { pattern, min, max, enum: values, max_length: maxLength } = limits;
  const rules: Limit[] = [];
  if (typeof pattern === 'string') rules.push(compilePatternLimit(pattern));
  if (typeof min === 'number') rules.push(numberLimit((value) => value >= min, `must be at least ${min}`));
  if (typeof max === 'number') rules.push(numberLimit((value) => value <= max, `must be at most ${max}`));
  if (values !== undefined) {
    const allowed: readonly unknown[] = values;
    const listed = values.map((value) => JSON.stringify(value)).join(', ');
    rules.push((value) => (allowed.includes(value) ? undefined : `must be one of ${listed} under the policy`));
  }
  if (maxLength !== undefined) {
    rules.push((value) =>
      isLonger(value, maxLength) ? `must be at most ${maxLength} characters long under the policy` : undefined,
    );
  }
  return rules;
}

function compilePatternLimit(pattern: string): Limit {
  const rule = `must match the pattern ${pattern} as a whole under the policy`;
  let matches: (text: string) => boolean;
  try {
    matches = compilePattern(pattern, { whole: true });
  } catch {
    return () => `cannot be checked: the policy's pattern ${pattern} cannot run, so nothing passes`;
  }
  return (value) => (isScalar(value) && matches(String(value)) ? undefined : rule);
}

/** A text counts as the number it spells, because a command line receives texts. */
function numberLimit(holds: (value: number) => boolean, rule: string): Limit {
  return (value) => {
    const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
    return typeof number === 'number' && holds(number) ? undefined : `${rule} under the policy`;
  };
}

/** In characters, counted only where UTF-16 units do not settle it. */
function isLonger(value: unknown, limit: number): boolean {
  const text = isScalar(value) ? String(value) : (JSON.stringify(value) ?? '');
  return text.length > limit && (text.length > limit * 2 || Array.from(text).length > limit);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
