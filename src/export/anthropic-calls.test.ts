import { describe, expect, test } from 'vitest';
import { ToolResult } from '../tool/tool-result.ts';
import { parseAnthropicCalls, toAnthropicToolMessage } from './anthropic.ts';
import { callsContract } from './calls-contract.test-helper.ts';

describe('Anthropic calls', () => {
  callsContract({
    write: (calls) => ({
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me see.' },
        ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
      ],
    }),
    parse: parseAnthropicCalls,
    answer: toAnthropicToolMessage,
  });

  test('reads a content list', () => {
    expect(parseAnthropicCalls([{ type: 'tool_use', id: 'one', name: 'a', input: { x: 1 } }])).toEqual([
      { id: 'one', name: 'a', input: { x: 1 } },
    ]);
  });

  test('reads input that is still JSON text, as in a stream', () => {
    expect(parseAnthropicCalls([{ type: 'tool_use', id: 'one', name: 'a', input: '{"x":1}' }])).toEqual([
      { id: 'one', name: 'a', input: { x: 1 } },
    ]);
  });

  test('answers all calls in one user message, with images and errors', () => {
    const calls = ['one', 'two', 'three', 'four'].map((id) => ({ id, name: 'a', input: {} }));
    const chart = ToolResult.content([
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'text', text: 'A chart' },
      { type: 'image', data: 'AAAA', mimeType: 'image/tiff' },
    ]);
    expect(
      toAnthropicToolMessage(calls, [
        ToolResult.text('Sun'),
        chart,
        ToolResult.error('No such city.'),
        ToolResult.text(''),
      ]),
    ).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'one', content: 'Sun' },
        {
          type: 'tool_result',
          tool_use_id: 'two',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'text', text: 'A chart' },
            { type: 'text', text: '[image left out: image/tiff, 3 bytes]' },
          ],
        },
        { type: 'tool_result', tool_use_id: 'three', content: 'No such city.', is_error: true },
        { type: 'tool_result', tool_use_id: 'four', content: '(no output)' },
      ],
    });
  });
});
