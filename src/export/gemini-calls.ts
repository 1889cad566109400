import { isPlainObject } from '../tool/json.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { ExportResult } from './export-tools.ts';
import { pairResults } from './pair-results.ts';
import { type CallNames, readCalls } from './read-call.ts';
import { resultText } from './result-blocks.ts';

/** The answers to all calls of one turn, as the next content. */
export interface GeminiToolMessage {
  readonly role: 'user';
  readonly parts: readonly {
    readonly functionResponse: {
      readonly id?: string;
      readonly name: string;
      readonly response: { readonly output: string } | { readonly error: string };
    };
  }[];
}

const MADE_UP_ID = /^call_\d+$/;

/**
 * Reads the `functionCall` parts of a response, a candidate, a content or a list of parts. Calls without an id get
 * `call_0`, `call_1`, …. Pass what `toGeminiTools` gave to get names and arguments mapped back. Never throws; gives `[]`
 * for anything else.
 */
export function parseGeminiCalls(response: unknown, exported?: CallNames): ToolCall[] {
  const calls = findParts(response).flatMap((part) => {
    const called = isPlainObject(part) ? part['functionCall'] : undefined;
    return isPlainObject(called) ? [{ id: called['id'], name: called['name'], args: called['args'] }] : [];
  });
  return readCalls(calls, exported);
}

/** One content with a `functionResponse` per call, in call order. Pass what `toGeminiTools` gave: answers carry Gemini's names. */
export function toGeminiToolMessage(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
  exported?: Pick<ExportResult<unknown>, 'names'>,
): GeminiToolMessage {
  return {
    role: 'user',
    parts: pairResults(calls, results).map(([call, result]) => ({
      functionResponse: {
        // An id of our own making would match no call of Gemini's.
        ...(MADE_UP_ID.test(call.id) ? {} : { id: call.id }),
        name: exported?.names.toProvider(call.name) ?? call.name,
        response: result.ok ? { output: resultText(result) } : { error: resultText(result) },
      },
    })),
  };
}

function findParts(response: unknown): unknown[] {
  if (Array.isArray(response)) return response;
  if (!isPlainObject(response)) return [];
  if (Array.isArray(response['candidates'])) return findParts(response['candidates'][0]);
  if (isPlainObject(response['content'])) return findParts(response['content']);
  return Array.isArray(response['parts']) ? response['parts'] : [];
}
