import type { Tool, Validation } from '../tool/tool.ts';
import { coerceInput } from '../tool/schema/coerce-input.ts';
import { dropNulls } from '../tool/schema/drop-nulls.ts';
import { type InputLimits, tooManyValues } from '../tool/input-limits.ts';
import { typeOf } from '../tool/texts/describe-value.ts';
import { formatPath } from '../tool/texts/explain-issues.ts';
import type { ToolIssue } from '../tool/tool-error.ts';

/**
 * Removes nulls that clients send for "not given" and that the schema refuses, before hooks, guards, people, the record and the tool see
 * the arguments.
 */
export function withoutNulls(tool: Tool, args: unknown, limits: InputLimits): unknown {
  try {
    if (typeof args !== 'object' || args === null) return args;
    return holdsNull(args, limits.depth, { values: limits.values }) ? dropNulls(tool.inputSchema, args) : args;
  } catch {
    // Unreadable arguments, or a schema without JSON Schema: the check explains it.
    return args;
  }
}

/** Returns true when arguments contain a null. Ignores parts over the limits, which are refused anyway. */
function holdsNull(value: object, levels: number, left: { values: number }): boolean {
  for (const key in value) {
    // Any key of an object may be read.
    const item = (value as Record<string, unknown>)[key];
    if (typeof item !== 'object') continue;
    if (item === null) return true;
    if (--left.values < 0 || levels <= 1) return false;
    if (holdsNull(item, levels - 1, left)) return true;
  }
  return false;
}

/** Checks limits and validates arguments; if allowed, repairs invalid ones and validates again. */
// oxlint-disable-next-line max-params -- on the path of every call: an options object would cost more than the check
export function checkInput(
  tool: Tool,
  args: unknown,
  limits: InputLimits,
  coerce: boolean,
): Validation | Promise<Validation> {
  const issue = guardInput(args, limits);
  if (issue !== undefined) {
    // A string may contain the whole object as JSON; everything else that the limits refuse stays refused.
    const repaired = coerce && typeof args === 'string' ? coerceInput(tool.inputSchema, args, limits) : args;
    if (repaired === args || typeof repaired === 'string') return { ok: false, issues: [issue] };
    return checkInput(tool, repaired, limits, coerce);
  }
  const validation = tool.validate(args);
  if (!coerce) return validation;
  return validation instanceof Promise
    ? validation.then((outcome) => (outcome.ok ? outcome : (repair(tool, args, limits) ?? outcome)))
    : validation.ok
      ? validation
      : (repair(tool, args, limits) ?? validation);
}

/** Validates repaired arguments; `undefined` when there is nothing to repair. */
function repair(tool: Tool, args: unknown, limits: InputLimits): Validation | Promise<Validation> | undefined {
  const repaired = coerceInput(tool.inputSchema, args, limits);
  if (repaired === args) return undefined;
  // JSON texts may contain more than the call itself.
  const issue = guardInput(repaired, limits);
  return issue === undefined ? tool.validate(repaired) : { ok: false, issues: [issue] };
}

/** Below any sensible limit on the size of arguments. */
const FLAT_LIMIT = 1000;

const isForbidden = (key: string): boolean => key === '__proto__' || key === 'constructor' || key === 'prototype';

/** Refuses input that no tool should see: no object, too large, too deep, keys that could affect a prototype, or numbers beyond JSON. */
export function guardInput(input: unknown, limits: InputLimits): ToolIssue | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return { path: [], message: notAnObject(input) };
  return isFlatAndSmall(input) ? undefined : checkParts(input, limits);
}

/** Returns true for a few scalars, like most arguments, without allocating. */
function isFlatAndSmall(input: object): boolean {
  let size = 0;
  // An inherited key only leads to the full check.
  for (const key in input) {
    // Any key of an object may be read.
    const value = (input as Record<string, unknown>)[key];
    size += key.length + (typeof value === 'string' ? value.length : 1);
    if ((typeof value === 'object' && value !== null) || isForbidden(key) || size > FLAT_LIMIT) return false;
    if (typeof value === 'number' && !Number.isFinite(value)) return false;
  }
  return true;
}

/** Checks each value of an input, and counts them. */
function checkParts(input: object, limits: InputLimits): ToolIssue | undefined {
  const path: (string | number)[] = [];
  let left = limits.size;
  let values = limits.values;
  const check = (holder: object): ToolIssue | undefined => {
    if (path.length >= limits.depth) {
      const message = `is nested more than ${limits.depth} levels deep. Send a flatter value.`;
      return { path: path.slice(0, 3), message };
    }
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      const at = (): (string | number)[] => [...path, key];
      if (typeof key === 'string') {
        if (isForbidden(key)) return { path: at(), message: 'is a key that no tool accepts. Leave it out.' };
        left -= key.length;
      }
      // It is one of its own keys.
      const value = (holder as Record<string | number, unknown>)[key];
      if (--values < 0) return { path: [], message: tooManyValues(limits.values) };
      left -= typeof value === 'string' ? value.length : 1;
      if (left < 0) {
        const message = `are larger than ${limits.size} characters, at ${formatPath(at())}. Send less, or a path or URL to it.`;
        return { path: [], message };
      }
      // `1e400` is parsed as Infinity and serialized as null: a rule, a digest or a record would see another value.
      if (typeof value === 'number' && !Number.isFinite(value))
        return { path: at(), message: 'must be a finite number: JSON has no others. Send a smaller one.' };
      if (typeof value !== 'object' || value === null) continue;
      path.push(key);
      const issue = check(value);
      if (issue !== undefined) return issue;
      path.pop();
    }
    return undefined;
  };
  return check(input);
}

function notAnObject(input: unknown): string {
  if (typeof input === 'string' && /^\s*\{/.test(input))
    return 'must be an object, got a string of JSON. Send the object itself.';
  return `must be an object such as {"name": "value"}, got ${typeOf(input)}.`;
}
