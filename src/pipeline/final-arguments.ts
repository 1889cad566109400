import { isPlainObject } from '../tool/json.ts';
import { formatPath } from '../tool/texts/explain-issues.ts';
import { ToolError, type ToolIssue } from '../tool/tool-error.ts';
import type { Tool } from '../tool/tool.ts';

type Arguments = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 100;

/**
 * Copies arguments, so that code that kept the original cannot change what is judged or run.
 *
 * Reads each value once. Class instances from a schema stay as they are, because they cannot be copied.
 */
export function copyArguments(value: unknown): Record<string, unknown> {
  // Validated arguments are an object.
  return copyValue(value, 1) as Record<string, unknown>;
}

export function freezeArguments(args: Arguments): Arguments {
  return freezeDeep(copyArguments(args));
}

/** Arguments before and after the hooks. */
export interface ChangedArguments {
  /** As the caller sent them. */
  readonly given: unknown;
  /** As the hooks got them: validated, defaults filled in. */
  readonly validated: Arguments;
  /** As the hooks left them, not yet validated. */
  readonly changed: Arguments;
}

/** Compares arguments by value, cheaply for the few scalars that most arguments are. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isPlainObject(one) || !isPlainObject(other))
    return process.getBuiltinModule('node:util').isDeepStrictEqual(one, other);
  let more = 0;
  for (const key in one) {
    if (!Object.hasOwn(other, key) || !isSame(one[key], other[key])) return false;
    more++;
  }
  for (const _ in other) more--;
  return more === 0;
}

/**
 * Merges the changes of hooks into the arguments that the caller sent, to validate them again.
 *
 * Values that hooks did not change stay as sent, because a schema may have transformed them.
 */
export function resendArguments({ given, validated, changed }: ChangedArguments): Record<string, unknown> {
  // Other valid arguments were a JSON text that was repaired.
  const sent = new Map(Object.entries(isPlainObject(given) ? given : validated));
  for (const key of [...Object.keys(validated), ...Object.keys(changed)]) {
    const isLeftAlone = Object.hasOwn(validated, key) && isSame(validated[key], changed[key]);
    if (!Object.hasOwn(changed, key)) sent.delete(key);
    else if (!isLeftAlone) sent.set(key, changed[key]);
  }
  return Object.fromEntries(sent);
}

/**
 * Creates the error for arguments that hooks, or a person, made invalid. It does not ask the model to fix those of hooks, because it
 * cannot.
 */
export function refuseChange(
  { metadata: { name } }: Tool,
  issues: readonly ToolIssue[],
  by: 'hook' | 'person' = 'hook',
): ToolError {
  const faults = issues.map(({ path, message }) => `\n- ${formatPath(path)}: ${message}`).join('');
  const message =
    by === 'hook'
      ? `A tool.before_execute hook changed the arguments of "${name}" to ones that do not fit:${faults}`
      : `The person who approved this call of "${name}" changed its arguments to ones that do not fit, so it did not run:${faults}\nCall it again with arguments that do, and they are asked again.`;
  return new ToolError({ code: 'execution_failed', message, toolName: name, issues });
}

function copyValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((item) => copyValue(item, depth + 1));
  if (!isPlainObject(value)) return copyInstance(value);
  // A spread copies four times faster than a loop over the keys, and treats `__proto__` like any other key.
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === 'object' && item !== null) copy[key] = copyValue(item, depth + 1);
  }
  return copy;
}

/** Copies dates, maps and bytes; copies of other instances would lose their class. */
function copyInstance(value: object): unknown {
  const isCopied = value instanceof Date || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value);
  if (!isCopied) return value;
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

function freezeDeep<T>(value: T): T {
  if (!isPlainObject(value) && !Array.isArray(value)) return value;
  for (const item of Object.values(value)) freezeDeep(item);
  return Object.freeze(value);
}

function tooDeep(): ToolError {
  const message = `A tool.before_execute hook nested the arguments more than ${MAX_DEPTH} levels deep. Make them flatter.`;
  return new ToolError({ code: 'execution_failed', message });
}
