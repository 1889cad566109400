import type { ToolCall } from '../tool/tool-call.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/** Each call with its result; throws when their numbers differ, since a provider rejects an unanswered call. */
export function pairResults(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
): (readonly [ToolCall, ToolResult])[] {
  if (calls.length !== results.length) {
    throw new ToolError({
      code: 'invalid_arguments',
      message: `${calls.length} calls but ${results.length} results. Give one result per call, in the order of the calls.`,
      field: 'results',
      reason: 'one result per call',
    });
  }
  return calls.flatMap((call, index) => {
    const result = results[index];
    return result === undefined ? [] : [[call, result] as const];
  });
}
