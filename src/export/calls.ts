import { parseArguments } from '../tool/input-limits.ts';
import { isPlainObject } from '../tool/json.ts';
import type { ToolCall } from '../tool/tool.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { NameTable } from './name-table.ts';
import { messageOf } from '../tool/texts/message-of.ts';

/** The part of an export that maps calls back. */
export interface CallNames {
  restore(providerName: string, args: unknown): { readonly name: string; readonly input: unknown };
}

/** A call as a provider sent it, unchecked. */
export interface RawCall {
  readonly id: unknown;
  readonly name: unknown;
  /** An object, or its JSON text. */
  readonly args: unknown;
  /** The provider's field that says who made the call, if any. */
  readonly caller?: unknown;
}

/** A call with its result, for the message that answers it. */
export interface AnsweredCall {
  readonly id: string;
  readonly name: string;
  /** The provider's name for the tool. */
  readonly providerName: string;
  readonly result: ToolResult;
  /** The provider's program that made the call, if one did. */
  readonly caller?: ToolCall['caller'];
}

/** Reads raw calls in order: maps names back, restores arguments and marks unreadable ones. Never throws. */
export function readCalls(calls: readonly RawCall[], exported?: CallNames): ToolCall[] {
  return calls.map((call, index) => {
    const id = typeof call.id === 'string' && call.id !== '' ? call.id : `call_${index}`;
    const providerName = typeof call.name === 'string' ? call.name : '';
    const read = readArguments(call.args);
    const { caller } = call;
    const made = isPlainObject(caller) && caller['type'] !== 'direct' ? { caller } : {};
    const restored = exported?.restore(providerName, read.input);
    const name = restored?.name ?? providerName;
    if (read.problem !== undefined) {
      const malformed = `Arguments of "${name}" (call "${id}") ${read.problem}. Send one JSON object, for example {"key": "value"}.`;
      return { id, name, input: undefined, malformed, ...made };
    }
    return { id, name, input: restored ? restored.input : read.input, ...made };
  });
}

/** Pairs each call with its result. Throws if their numbers differ, since a provider rejects unanswered calls. */
export function answerCalls(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
  names?: Pick<NameTable, 'toProvider'>,
): AnsweredCall[] {
  if (calls.length !== results.length) {
    throw new ToolError({
      code: 'invalid_arguments',
      message: `${calls.length} calls but ${results.length} results. Give one result per call, in the order of the calls.`,
      field: 'results',
      reason: 'one result per call',
    });
  }
  return calls.flatMap(({ id, name, caller }, index) => {
    const result = results[index];
    const providerName = names?.toProvider(name) ?? name;
    return result === undefined ? [] : [{ id, name, providerName, result, ...(caller && { caller }) }];
  });
}

function readArguments(args: unknown): { readonly input?: unknown; readonly problem?: string } {
  if (args === undefined || args === null) return { input: {} };
  if (typeof args !== 'string') return isPlainObject(args) ? { input: args } : { problem: `are ${describeType(args)}` };
  if (args.trim() === '') return { input: {} };
  try {
    const parsed = parseArguments(args);
    if (parsed === null || isPlainObject(parsed)) return { input: parsed ?? {} };
    return { problem: `are ${describeType(parsed)}` };
  } catch (error) {
    return {
      problem:
        error instanceof RangeError
          ? messageOf(error).replace(/^they /, '')
          : `are not valid JSON: ${messageOf(error)}`,
    };
  }
}

function describeType(value: unknown): string {
  return Array.isArray(value) ? 'an array, not an object' : `a ${typeof value}, not an object`;
}
