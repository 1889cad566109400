import { describeValue } from '../../tool/texts/describe-value.ts';
import { parseArguments } from '../../tool/input-limits.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { ToolIssue } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** The tool and arguments that a call of `call_tool` asks for, or the issues with it. */
export type InnerCall =
  | { readonly ok: true; readonly name: string; readonly args: Record<string, unknown> }
  | { readonly ok: false; readonly issues: readonly ToolIssue[]; readonly name?: string };

/** The keys of the name and the arguments in a call. */
export interface CallKeys {
  readonly name: string;
  readonly args: string;
}

/** The most issues in one answer. */
const MOST_FAULTS = 20;

/** Reads a call as models send it: arguments as an object, as a JSON string, or missing. */
export function readCall(given: unknown, keys: CallKeys, values: number): InnerCall {
  const whole = parseText(given, values);
  if (!whole.ok || !isPlainObject(whole.value)) {
    const form = `{"${keys.name}": "…", "${keys.args}": {}}`;
    return refuse([], `must be an object such as ${form}, got ${describeValue(given)}.`);
  }
  const call = whole.value;
  const name = call[keys.name];
  const stray = Object.keys(call)
    .filter((key) => key !== keys.name && key !== keys.args)
    .slice(0, MOST_FAULTS);
  const issues: ToolIssue[] = stray.map((key) => ({
    path: [key],
    message: `is not known here. The tool's arguments belong in "${keys.args}": {"${keys.args}": {"${key.slice(0, 40)}": …}}`,
  }));
  if (name === undefined) issues.unshift({ path: [keys.name], message: 'is required: the name of a tool' });
  else if (typeof name !== 'string' || name.trim() === '')
    issues.unshift({ path: [keys.name], message: `must be the name of a tool; got ${describeValue(name)}` });
  const args = readArguments(call[keys.args], keys.args, values);
  if (typeof name !== 'string' || issues.length > 0 || !args.ok) {
    const named = typeof name === 'string' ? { name: name.trim() } : {};
    return { ok: false, issues: [...issues, ...(args.ok ? [] : args.issues)], ...named };
  }
  return { ok: true, name: name.trim(), args: args.value };
}

function readArguments(
  given: unknown,
  key: string,
  values: number,
):
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly issues: ToolIssue[] } {
  if (given === undefined || given === null) return { ok: true, value: {} };
  const parsed = parseText(given, values);
  if (!parsed.ok)
    return refuse([key], `is text that is not JSON (${parsed.reason}). Send an object such as {"path": "README.md"}`);
  // A model may have encoded its JSON as a string twice.
  const twice = parseText(parsed.value, values);
  if (twice.ok && isPlainObject(twice.value)) return { ok: true, value: twice.value };
  return refuse([key], `must be an object with the tool's arguments by name; got ${describeValue(parsed.value)}`);
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

function parseText(value: unknown, values: number): Parsed {
  if (typeof value !== 'string') return { ok: true, value };
  if (value.trim() === '') return { ok: true, value: {} };
  try {
    return { ok: true, value: parseArguments(value, values) };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

function refuse(path: string[], message: string): { readonly ok: false; readonly issues: ToolIssue[] } {
  return { ok: false, issues: [{ path, message }] };
}
