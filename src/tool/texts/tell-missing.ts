import type { ToolIssue } from '../tool-error.ts';

/** How zod, valibot, arktype and others begin the message of a value that is not what they expect. */
const STOCK = /^(?:Invalid (?:input|option|type|key|value|discriminator value)\b|Required$)/i;
const SAYS_MISSING = /\bundefined\b|\bmissing\b/i;
const CHOICE = /expected (one of )?("[^"]*"(?:\|(?:"[^"]*"|[\w.-]+))*)/;

/** Whether a message is a library's own, and says no more than that a value is not what was expected. */
export function isStockMessage(message: string): boolean {
  return STOCK.test(message);
}

/**
 * Says `is required` of a value that is not there, where a library says `expected string, received undefined`. What an
 * author wrote stays as it is.
 */
export function tellMissing(issue: ToolIssue, args: unknown): ToolIssue {
  const { path, message } = issue;
  if (path.length === 0 || message.startsWith('is required') || !isMissing(path, args)) return issue;
  if (!isStockMessage(message) && !SAYS_MISSING.test(message)) return issue;
  const choice = CHOICE.exec(message)?.[2];
  return {
    ...issue,
    message: choice === undefined ? 'is required' : `is required: ${choice.replaceAll('"|"', '" or "')}`,
  };
}

/** Whether the object that should hold the value is there and the value is not. */
function isMissing(path: readonly (string | number)[], args: unknown): boolean {
  let holder = args;
  for (const step of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step)) return false;
    // Just found to be an object that has this key.
    holder = (holder as Record<string | number, unknown>)[step];
  }
  const last = path.at(-1);
  if (typeof holder !== 'object' || holder === null || last === undefined) return false;
  return !Object.hasOwn(holder, last) || (holder as Record<string | number, unknown>)[last] === undefined;
}
