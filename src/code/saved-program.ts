import type { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { CodeLimits } from './code-limits.ts';
import type { CodeTarget } from './code-target.ts';
import { withPrograms } from './with-programs.ts';
import { failedResult, showConsole, showValue } from './program/program-outcome.ts';

/** A program that is a tool. */
interface SavedProgram {
  readonly name: string;
  readonly code: string;
  readonly input: unknown;
  readonly limits: CodeLimits;
  /** The tools it may call; `undefined` for all that its caller may call. */
  readonly tools: readonly string[] | undefined;
}

/** The metadata key that counts the saved programs around a call. */
const DEPTH_KEY = 'pegboard.programs';
/** Each nested program holds a thread while the next one runs. */
const MAX_DEPTH = 5;

/** Runs a saved program for the caller of a context and returns the program's value as its result. Never rejects. */
export async function runSavedProgram(
  { name, code, input, limits, tools }: SavedProgram,
  { target, context }: { readonly target: CodeTarget; readonly context: ToolContext },
): Promise<ToolResult> {
  const depth = context.getMeta(DEPTH_KEY, 0) + 1;
  if (depth > MAX_DEPTH) return ToolResult.error(tooDeep(name));
  const { approval, idempotencyKey } = context;
  const key = approval?.key ?? idempotencyKey;
  const place = { target, context: context.mergeMetadata({ [DEPTH_KEY]: depth }), pauses: approval?.defer ?? false };
  const outcome = await withPrograms(({ programIdFor, startProgram }) => {
    const id = key === undefined ? undefined : programIdFor(key, context);
    return startProgram({ code, input: JSON.stringify(input) ?? '{}', limits, tools, id }, place);
  });
  if (!outcome.ok) return failedResult(outcome, explain(outcome.error, name));
  const { value } = outcome;
  const text = [showValue(value), ...showConsole(outcome)].join('\n\n');
  return typeof value === 'string' || value === undefined
    ? ToolResult.text(text)
    : ToolResult.from({ text, data: value });
}

/** The caller did not write the program and cannot fix it. */
function explain(error: ToolError, name: string): ToolError {
  const { code, field, issues } = error;
  if (code !== 'invalid_arguments' || field !== 'code') return error;
  const faults = issues.map(({ path: [, line], message }) => `line ${String(line)}: ${message}`);
  const message = `The program "${name}" cannot run for this caller. ${faults.join(' ')} A caller of a saved program must be able to call the tools that it calls.`;
  return new ToolError({ code: 'execution_failed', message, toolName: name });
}

function tooDeep(name: string): ToolError {
  const message = `"${name}" was not run: saved programs may be nested ${MAX_DEPTH} deep at most. Look for one that calls itself.`;
  return new ToolError({ code: 'execution_failed', message, toolName: name });
}
