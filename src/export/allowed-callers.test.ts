import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { DISCOVERY_MARK } from '../tool/tool-marks.ts';
import { ToolResult } from '../tool/tool-result.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { parseAnthropicCalls, toAnthropicToolMessage, toAnthropicTools } from './anthropic.ts';
import { parseOpenAICalls, toOpenAIToolOutputs, toOpenAITools } from './openai.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } } as const;
const execute = (): object => ({ sun: true });
const outputSchema = { type: 'object', properties: { sun: { type: 'boolean' } } } as const;
const TOOLS = [
  defineTool({ name: 'weather', description: 'The weather', schema, outputSchema, execute }),
  defineTool({ ...DISCOVERY_MARK, name: 'search_tools', description: 'Finds tools', schema, execute }),
];

test('OpenAI: programs may call tools in addition to the model or instead of it, with the output schema', () => {
  const { tools, report } = toOpenAITools(TOOLS, { format: 'responses', programmatic: true });
  // As typed in OpenAI's SDK.
  const request: OpenAI.Responses.ResponseCreateParams['tools'] = [
    { type: 'programmatic_tool_calling' },
    ...tools.map(({ allowed_callers: callers, ...tool }) => ({
      ...tool,
      ...(callers && { allowed_callers: [...callers] }),
    })),
  ];
  expect(request).toMatchObject([{}, { allowed_callers: ['direct', 'programmatic'], output_schema: outputSchema }, {}]);
  expect(tools[1]).not.toHaveProperty('allowed_callers');
  expect(report.entries).toEqual([
    {
      tool: 'search_tools',
      path: 'name',
      rule: 'allowed_callers',
      action: 'dropped',
      message: 'Only the model calls it: it forwards to other tools, which programs call by their own names.',
    },
  ]);
  expect(toOpenAITools(TOOLS, { format: 'responses', programmatic: 'only' }).tools[0]?.allowed_callers).toEqual([
    'programmatic',
  ]);
  expect(toOpenAITools(TOOLS, { format: 'responses' }).tools[0]).not.toHaveProperty('output_schema');
  const chat = toOpenAITools(TOOLS, { programmatic: true });
  expect(JSON.stringify(chat.tools)).not.toContain('allowed_callers');
  expect(chat.report.entries.map(({ tool, message }) => [tool, message])).toEqual(
    ['weather', 'search_tools'].map((tool) => [
      tool,
      'Chat Completions runs no programs. Export with { format: "responses" }.',
    ]),
  );
});

test('OpenAI: the answer to a call of a program names that program, one to the model does not', () => {
  const caller = { type: 'program', caller_id: 'prog_1' };
  const made = { type: 'function_call', name: 'weather', arguments: '{}' };
  const calls = parseOpenAICalls({
    output: [
      { ...made, call_id: 'one', caller },
      { ...made, call_id: 'two', caller: { type: 'direct' } },
      { ...made, call_id: 'three', caller: null },
    ],
  });
  expect(calls.map((call) => call.caller)).toEqual([caller, undefined, undefined]);
  const outputs = toOpenAIToolOutputs(
    calls,
    calls.map(() => ToolResult.text('sun')),
  );
  expect(outputs).toEqual([
    { type: 'function_call_output', call_id: 'one', output: 'sun', caller },
    { type: 'function_call_output', call_id: 'two', output: 'sun' },
    { type: 'function_call_output', call_id: 'three', output: 'sun' },
  ]);
});

test('Anthropic: names the version of its tool, and reports the missing output schema', () => {
  const { tools, report } = toAnthropicTools(TOOLS, { programmatic: true });
  expect(tools[0]?.allowed_callers).toEqual(['direct', 'code_execution_20260120']);
  expect(tools[1]).not.toHaveProperty('allowed_callers');
  expect(report.entries.map(({ tool, path, action }) => [tool, path, action])).toEqual([
    ['weather', 'outputSchema', 'dropped'],
    ['search_tools', 'name', 'dropped'],
  ]);
  const options = { programmatic: 'only', codeExecution: 'code_execution_20260521' } as const;
  expect(toAnthropicTools(TOOLS, options).tools[0]?.allowed_callers).toEqual(['code_execution_20260521']);
  expect(toAnthropicTools(TOOLS).tools[0]).not.toHaveProperty('allowed_callers');
  const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' };
  const calls = parseAnthropicCalls([{ type: 'tool_use', id: 'one', name: 'weather', input: {}, caller }]);
  expect(calls).toEqual([{ id: 'one', name: 'weather', input: {}, caller }]);
  expect(toAnthropicToolMessage(calls, [ToolResult.text('sun')]).content).toEqual([
    { type: 'tool_result', tool_use_id: 'one', content: 'sun' },
  ]);
});
