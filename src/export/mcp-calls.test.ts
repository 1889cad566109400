import { describe, expect, test } from 'vitest';
import { ToolResult } from '../tool/tool-result.ts';
import { parseMcpCall, toMcpCallResult } from './mcp.ts';

describe('parseMcpCall', () => {
  test('reads a call, and missing arguments as none', () => {
    expect(parseMcpCall({ name: 'a', arguments: { x: 1 } })).toEqual({ id: 'call_0', name: 'a', input: { x: 1 } });
    expect(parseMcpCall({ name: 'a' })).toEqual({ id: 'call_0', name: 'a', input: {} });
  });

  test('maps the name back', () => {
    const exported = { restore: (_: string, input: unknown) => ({ name: 'b', input }) };
    expect(parseMcpCall({ name: 'a' }, exported)).toEqual({ id: 'call_0', name: 'b', input: {} });
  });

  test('marks arguments that are not an object', () => {
    expect(parseMcpCall({ name: 'a', arguments: [1] })).toEqual({
      id: 'call_0',
      name: 'a',
      input: undefined,
      malformed:
        'Arguments of "a" (call "call_0") are an array, not an object. Send one JSON object, for example {"key": "value"}.',
    });
  });

  test('returns undefined for invalid input, without throwing', () => {
    for (const junk of [undefined, null, 5, 'x', [], {}, { name: 5 }]) expect(parseMcpCall(junk)).toBeUndefined();
  });
});

describe('toMcpCallResult', () => {
  test('contains text, data that is an object, and content blocks', () => {
    expect(toMcpCallResult(ToolResult.json({ a: 1 }))).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
      isError: false,
    });
    expect(toMcpCallResult(ToolResult.json([1]))).toEqual({ content: [{ type: 'text', text: '[1]' }], isError: false });
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
    expect(toMcpCallResult(ToolResult.content([image]))).toEqual({ content: [image], isError: false });
  });

  test('says that there was no output, and marks failures', () => {
    expect(toMcpCallResult(ToolResult.text(''))).toEqual({
      content: [{ type: 'text', text: '(no output)' }],
      isError: false,
    });
    expect(toMcpCallResult(ToolResult.error('No such city.'))).toEqual({
      content: [{ type: 'text', text: 'No such city.' }],
      isError: true,
    });
  });
});
