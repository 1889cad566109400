import type { Tool, Validation } from '../tool/tool.ts';
import { coerceInput } from '../tool/schema/coerce-input.ts';
import { guardInput, type InputLimits } from './guard-input.ts';

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
    const repaired = coerce && typeof args === 'string' ? coerceInput(tool.inputSchema, args) : args;
    if (repaired === args || typeof repaired === 'string') return { ok: false, issues: [issue] };
    return checkInput(tool, repaired, limits, coerce);
  }
  const validation = tool.validate(args);
  if (!coerce) return validation;
  return validation instanceof Promise
    ? validation.then((outcome) => repair(tool, args, outcome))
    : repair(tool, args, validation);
}

function repair(tool: Tool, args: unknown, validation: Validation): Validation | Promise<Validation> {
  if (validation.ok) return validation;
  const repaired = coerceInput(tool.inputSchema, args);
  return repaired === args ? validation : tool.validate(repaired);
}
