import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../define/define-tool.ts';
import { ToolRegistry } from '../registry/tool-registry.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { defineAgent } from './define-agent.ts';
import { runAgent } from './run-agent.ts';

it('writes spans as the GenAI conventions name them, each below its own', async () => {
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
    'gen_ai.usage.input_tokens': 30,
  });
  expect(attributes('chat big')).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'acme',
    'gen_ai.request.model': 'big',
    'gen_ai.response.finish_reasons': ['tool-calls'],
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 5,
  });
  expect(attributes('execute_tool fail')).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'fail',
    'gen_ai.tool.call.id': 'call_1',
    'error.type': 'execution_failed',
  });
});
