import type { Tool, Validation } from '../tool/tool.ts';
import { coerceInput } from '../tool/schema/coerce-input.ts';
import { dropNulls } from '../tool/schema/drop-nulls.ts';
import type { InputLimits } from '../tool/input-limits.ts';
import { guardInput } from './guard-input.ts';

/**
 * The arguments as hooks, guards, people, the record and the tool see them: without the nulls that clients send for "not
 * given" where the schema refuses them. The arguments themselves where they hold no null.
 */
export function withoutNulls(tool: Tool, args: unknown, limits: InputLimits): unknown {
  try {
    if (typeof args !== 'object' || args === null) return args;
    left = limits.values;
    return holdsNull(args, limits.depth) ? dropNulls(tool.inputSchema, args) : args;
  } catch {
    // Arguments that cannot be read, or a schema that cannot be written as JSON Schema: the check has the words for it.
    return args;
  }
}

/** Values that may still be looked at: on the path of every call of a client, a counter of its own would cost more than the look. */
let left = 0;

/** Larger and deeper arguments than the limits allow are refused anyway. */
function holdsNull(value: object, levels: number): boolean {
  for (const key in value) {
    // Any key of an object may be read.
    const item = (value as Record<string, unknown>)[key];
    if (typeof item !== 'object') continue;
    if (item === null) return true;
    if (--left < 0 || levels <= 1) return false;
    if (holdsNull(item, levels - 1)) return true;
  }
  return false;
}

/** Guards and validates arguments; where allowed, repairs those that fail and validates once more. */
// oxlint-disable-next-line max-params -- on the path of every call: an options object would cost more than the check
export function checkInput(
  tool: Tool,
  args: unknown,
  limits: InputLimits,
  coerce: boolean,
): Validation | Promise<Validation> {
  const issue = guardInput(args, limits);
  if (issue !== undefined) {
    // A string may hold the whole object as JSON; anything else that the guard refuses stays refused.
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

/** Validates mended arguments; `undefined` where there is nothing to mend. */
function repair(tool: Tool, args: unknown, limits: InputLimits): Validation | Promise<Validation> | undefined {
  const repaired = coerceInput(tool.inputSchema, args, limits);
  if (repaired === args) return undefined;
  // Texts of JSON may hold more than the call itself.
  const issue = guardInput(repaired, limits);
  return issue === undefined ? tool.validate(repaired) : { ok: false, issues: [issue] };
}
