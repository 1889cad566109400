import { describe, expect, test } from 'vitest';
import { ToolResult } from '../tool/tool-result.ts';
import { callsContract } from './calls-contract.test-helper.ts';
import { parseGeminiCalls, toGeminiToolMessage, toGeminiTools } from './gemini.ts';
import { toolWith } from './schema-arbitrary.test-helper.ts';

describe('Gemini calls', () => {
  callsContract({
    write: (calls) => ({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ text: 'Let me see.' }, ...calls.map((call) => ({ functionCall: call }))],
          },
        },
      ],
    }),
    parse: parseGeminiCalls,
    answer: toGeminiToolMessage,
  });

  test('makes up ids, and reads contents, candidates and lists of parts', () => {
    const parts = [{ functionCall: { name: 'a', args: { x: 1 } } }, { functionCall: { name: 'a' } }];
    const calls = [
      { id: 'call_0', name: 'a', input: { x: 1 } },
      { id: 'call_1', name: 'a', input: {} },
    ];
    for (const response of [parts, { parts }, { content: { parts } }, { candidates: [{ content: { parts } }] }]) {
      expect(parseGeminiCalls(response)).toEqual(calls);
    }
  });

  test('answers in one content under the names Gemini knows, with its own ids only', () => {
    const exported = toGeminiTools([toolWith({ type: 'object' }, '2nd')]);
    const calls = [
      { id: 'abc', name: '2nd', input: {} },
      { id: 'call_1', name: 'other', input: {} },
    ];
    expect(toGeminiToolMessage(calls, [ToolResult.text('Sun'), ToolResult.error('No such city.')], exported)).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { id: 'abc', name: '_2nd', response: { output: 'Sun' } } },
        { functionResponse: { name: 'other', response: { error: 'No such city.' } } },
      ],
    });
  });
});
