import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { APICallError } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { createMemorySession } from '../session/agent-session.ts';
import { defineAgent } from '../define/define-agent.ts';
import { runAgent, streamAgent } from '../loop/run-agent.ts';

it('writes nested spans named by the GenAI conventions', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const board = new ToolRegistry().register(
    defineTool({
      name: 'fail',
      description: 'F',
      schema: z.object({}),
      execute: () => Promise.reject(new Error('no')),
    }),
  );
  const helper = defineAgent({
    name: 'helper',
    model: scriptedModel(['ok'], { modelId: 'small', provider: 'acme.chat' }),
    tools: [],
  });
  const model = scriptedModel([{ calls: [{ name: 'fail' }, { name: 'helper', input: { task: 'x' } }] }, 'done'], {
    modelId: 'big',
    provider: 'acme.chat',
  });
  const agent = defineAgent({ name: 'lead', model, agents: [helper] });
  await runAgent(agent, 'go', { board, tracer: provider.getTracer('test') });
  const spans = exporter.getFinishedSpans();
  const nameOf = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  const tree = spans.map((span) => `${nameOf.get(span.parentSpanContext?.spanId ?? '') ?? '-'} > ${span.name}`);
  expect(tree.toSorted()).toEqual([
    '- > invoke_agent lead',
    'execute_tool helper > invoke_agent helper',
    'invoke_agent helper > chat small',
    'invoke_agent lead > chat big',
    'invoke_agent lead > chat big',
    'invoke_agent lead > execute_tool fail',
    'invoke_agent lead > execute_tool helper',
  ]);
  const attributes = (name: string): unknown => spans.find((span) => span.name === name)?.attributes;
  expect(attributes('invoke_agent lead')).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'lead',
    'gen_ai.agent.description': 'The agent lead.',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 30,
  });
  expect(attributes('chat big')).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'acme',
    'gen_ai.request.model': 'big',
    'gen_ai.response.finish_reasons': ['tool_call'],
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 5,
  });
  expect(attributes('execute_tool fail')).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'fail',
    'gen_ai.tool.description': 'F',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': 'call_1',
    'error.type': 'execution_failed',
  });
});

function startTracing() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer('test'), spans: () => exporter.getFinishedSpans() };
}

const board = new ToolRegistry().register(
  defineTool({
    name: 'look',
    description: 'Look.',
    schema: z.object({ at: z.string() }),
    execute: ({ at }) => `seen ${at}`,
  }),
);

it('writes the settings and outcome of a request, but no content', async () => {
  const { tracer, spans } = startTracing();
  const usage = { inputTokens: 90, cachedInputTokens: 50, outputTokens: 30 };
  const model = scriptedModel(
    [
      { text: 'Hm.', calls: [{ name: 'look', input: { at: 'private' } }] },
      { text: '{"a":1}', usage },
    ],
    { provider: 'google.generative-ai', modelId: 'big' },
  );
  const agent = defineAgent({
    name: 'seer',
    model,
    system: 'private',
    output: z.object({ a: z.number() }),
    settings: { temperature: 0.1, topP: 0.9, topK: 5, maxOutputTokens: 100, seed: 7, stopSequences: ['END'] },
  });
  const session = { ...createMemorySession(), name: 'talk' };
  await streamAgent(agent, 'private', { board, session, tracer }).result;
  const asked = {
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'big',
    'gen_ai.conversation.id': 'talk',
    'gen_ai.output.type': 'json',
    'gen_ai.request.temperature': 0.1,
    'gen_ai.request.top_p': 0.9,
    'gen_ai.request.top_k': 5,
    'gen_ai.request.max_tokens': 100,
    'gen_ai.request.seed': 7,
    'gen_ai.request.stop_sequences': ['END'],
  };
  const [, , chat, run] = spans();
  expect(chat).toMatchObject({ name: 'chat big', kind: SpanKind.CLIENT });
  expect(chat?.attributes).toEqual({
    ...asked,
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.stream': true,
    'gen_ai.response.model': 'big',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
    'gen_ai.usage.input_tokens': 90,
    'gen_ai.usage.output_tokens': 30,
    'gen_ai.usage.cache_read.input_tokens': 50,
  });
  expect(run).toMatchObject({ name: 'invoke_agent seer', kind: SpanKind.INTERNAL });
  expect(run?.attributes).toMatchObject({ ...asked, 'gen_ai.usage.input_tokens': 100 });
  expect(JSON.stringify(spans().map(({ attributes, events }) => [attributes, events]))).not.toContain('private');
});

it('writes a span for each request to a provider, failed ones with its status', async () => {
  const { tracer, spans } = startTracing();
  const busy = new APICallError({ message: 'busy', url: 'http://x', requestBodyValues: {}, statusCode: 529 });
  const model = scriptedModel([busy, 'ok'], { modelId: 'm' });
  await runAgent(defineAgent({ name: 'a', model, retryDelay: 1 }), 'go', { tracer });
  expect(spans().map(({ name, attributes, status }) => [name, attributes['error.type'], status.code])).toEqual([
    ['chat m', '529', SpanStatusCode.ERROR],
    ['chat m', undefined, SpanStatusCode.UNSET],
    ['invoke_agent a', undefined, SpanStatusCode.UNSET],
  ]);
});

it('ends the span of a cancelled model that ignores its signal', async () => {
  const { tracer, spans } = startTracing();
  const stop = new AbortController();
  const model = scriptedModel([
    () => {
      stop.abort();
      return new Promise<never>(() => {});
    },
  ]);
  await runAgent(defineAgent({ name: 'a', model }), 'go', { tracer, signal: stop.signal });
  expect(spans().map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['chat scripted', 'AbortError'],
    ['invoke_agent a', 'cancelled'],
  ]);
});

it('writes messages and calls when content is traced', async () => {
  const { tracer, spans } = startTracing();
  const model = scriptedModel([{ text: 'Hm.', calls: [{ name: 'look', input: { at: 'me' } }] }, 'Seen.']);
  const agent = defineAgent({ name: 'seer', model, system: 'Be brief.' });
  await runAgent(agent, 'Look at me', { board, tracer, traceContent: true });
  const [, tool, chat] = spans();
  const read = (key: string): unknown => JSON.parse(String(chat?.attributes[key]));
  expect(tool?.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"at":"me"}',
    'gen_ai.tool.call.result': 'seen me',
  });
  expect(read('gen_ai.system_instructions')).toEqual([{ type: 'text', content: 'Be brief.' }]);
  expect(read('gen_ai.input.messages')).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'Look at me' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'text', content: 'Hm.' },
        { type: 'tool_call', id: 'call_1', name: 'look', arguments: { at: 'me' } },
      ],
    },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: 'seen me' }] },
  ]);
  expect(read('gen_ai.output.messages')).toEqual([
    { role: 'assistant', parts: [{ type: 'text', content: 'Seen.' }], finish_reason: 'stop' },
  ]);
  expect(read('gen_ai.tool.definitions')).toMatchObject([{ type: 'function', name: 'look', description: 'Look.' }]);
});

it('writes a span for the summary of a history that became too long', async () => {
  const { tracer, spans } = startTracing();
  const model = scriptedModel(['a summary', 'ok'], { modelId: 'm' });
  const messages = Array.from({ length: 10 }, () => ({ role: 'user' as const, content: 'x'.repeat(2_000) }));
  await runAgent(defineAgent({ name: 'a', model, historyTokens: 2_000 }), 'go', { messages, tracer });
  const [summary, chat] = spans();
  expect(spans().map(({ name }) => name)).toEqual(['chat m', 'chat m', 'invoke_agent a']);
  expect(summary?.attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 10 });
  expect(summary?.parentSpanContext?.spanId).toBe(chat?.parentSpanContext?.spanId);
});
