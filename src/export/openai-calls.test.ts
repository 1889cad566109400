import { describe, expect, test } from 'vitest';
import { ToolResult } from '../tool/tool-result.ts';
import { callsContract } from './calls-contract.test-helper.ts';
import { parseOpenAICalls, toOpenAIToolMessages, toOpenAIToolOutputs, toOpenAITools } from './openai.ts';
import { toolWith } from './schema-arbitrary.test-helper.ts';

const text = (args: unknown) => (args === undefined ? undefined : JSON.stringify(args));
const chatCall = (id: string, name: string, args: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

describe('chat completions', () => {
  callsContract({
    write: (calls) => ({
      choices: [
        {
          message: { role: 'assistant', tool_calls: calls.map(({ id, name, args }) => chatCall(id, name, text(args))) },
        },
      ],
    }),
    parse: parseOpenAICalls,
    answer: toOpenAIToolMessages,
  });

  test('reads a message and a bare list of tool calls', () => {
    const list = [chatCall('one', 'a', '{"x":1}')];
    const calls = [{ id: 'one', name: 'a', input: { x: 1 } }];
    expect(parseOpenAICalls({ role: 'assistant', tool_calls: list })).toEqual(calls);
    expect(parseOpenAICalls(list)).toEqual(calls);
  });

  test('treats empty arguments as none and explains invalid ones', () => {
    const list = [
      chatCall('one', 'a', ''),
      chatCall('two', 'a', '{"x": 1'),
      chatCall('three', 'a', '"x"'),
      chatCall('', 'a', '{}'),
    ];
    expect(parseOpenAICalls(list)).toEqual([
      { id: 'one', name: 'a', input: {} },
      {
        id: 'two',
        name: 'a',
        input: undefined,
        malformed:
          'Arguments of "a" (call "two") are not valid JSON: Expected \',\' or \'}\' after property value in JSON at position 7 (line 1 column 8). Send one JSON object, for example {"key": "value"}.',
      },
      {
        id: 'three',
        name: 'a',
        input: undefined,
        malformed:
          'Arguments of "a" (call "three") are a string, not an object. Send one JSON object, for example {"key": "value"}.',
      },
      { id: 'call_3', name: 'a', input: {} },
    ]);
  });

  test('maps back what toOpenAITools mapped', () => {
    const tool = toolWith(
      { type: 'object', properties: { map: { type: 'object' }, note: { type: 'string' } } },
      'fs.read',
    );
    const exported = toOpenAITools([tool], { strict: true });
    const list = [chatCall('one', 'fs_read', '{"map":"{\\"a\\":1}","note":null}'), chatCall('two', 'fs_read', '{')];
    expect(parseOpenAICalls(list, exported)).toEqual([
      { id: 'one', name: 'fs.read', input: { map: { a: 1 } } },
      {
        id: 'two',
        name: 'fs.read',
        input: undefined,
        malformed: expect.stringContaining('Arguments of "fs.read" (call "two")'),
      },
    ]);
  });

  test('answers in call order, with notes for what is not text', () => {
    const calls = ['one', 'two', 'three'].map((id) => ({ id, name: 'a', input: {} }));
    const image = ToolResult.content([
      { type: 'text', text: 'A chart' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'file:///x', name: 'x' },
      { type: 'resource', resource: { uri: 'file:///y', text: 'inside' } },
    ]);
    expect(toOpenAIToolMessages(calls, [ToolResult.json({ a: 1 }), image, ToolResult.error('No such city.')])).toEqual([
      { role: 'tool', tool_call_id: 'one', content: '{"a":1}' },
      {
        role: 'tool',
        tool_call_id: 'two',
        content: 'A chart\n[image left out: image/png, 3 bytes]\n[x: file:///x]\ninside',
      },
      { role: 'tool', tool_call_id: 'three', content: 'No such city.' },
    ]);
  });

  test('says that there was no output, and prefers a text that the pipeline shortened', () => {
    const calls = ['one', 'two'].map((id) => ({ id, name: 'a', input: {} }));
    const shortened = ToolResult.content([{ type: 'text', text: 'long text' }]).with({ text: 'long…' });
    expect(toOpenAIToolMessages(calls, [ToolResult.text(''), shortened]).map((message) => message.content)).toEqual([
      '(no output)',
      'long…',
    ]);
  });
});

describe('responses', () => {
  callsContract({
    write: (calls) => ({
      output: calls.map(({ id, name, args }) => ({
        type: 'function_call',
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: text(args),
      })),
    }),
    parse: parseOpenAICalls,
    answer: toOpenAIToolOutputs,
  });

  test('reads the function calls of an output list among other items', () => {
    const output = [
      { type: 'reasoning' },
      { type: 'function_call', call_id: 'one', name: 'a', arguments: '{}' },
      { type: 'message' },
    ];
    expect(parseOpenAICalls(output)).toEqual([{ id: 'one', name: 'a', input: {} }]);
  });

  test('answers with output items', () => {
    expect(toOpenAIToolOutputs([{ id: 'one', name: 'a', input: {} }], [ToolResult.text('Sun')])).toEqual([
      { type: 'function_call_output', call_id: 'one', output: 'Sun' },
    ]);
  });
});
