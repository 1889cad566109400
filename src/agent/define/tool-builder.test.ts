import { generateText, isStepCount, ToolLoopAgent } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolParameter } from '../../tool/tool-parameter.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolDefinition } from '../../tool/define/tool-definition.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { AgentDefinition, defineAgent, parseAgent } from './define-agent.ts';
import { runAgent } from '../loop/run-agent.ts';
import { ToolBuilder } from './tool-builder.ts';

class CalculatorTool extends ToolDefinition<{ a: number; b: number }> {
  name(): string {
    return 'calculator';
  }
  description(): string {
    return 'Add two numbers.';
  }
  override parameters(): ToolParameter[] {
    return [ToolParameter.number('a', 'First number'), ToolParameter.number('b', 'Second number')];
  }
  handle({ a, b }: { a: number; b: number }, context: ToolContext): ToolResult {
    return ToolResult.text(`Result for ${context.getMeta('user', 'a guest')}: ${a + b}`);
  }
}

const board = new ToolRegistry().register(
  defineTool({
    name: 'search_web',
    description: 'Search.',
    tags: ['web'],
    schema: z.object({}),
    execute: () => 'nothing',
  }),
);

const model = scriptedModel([
  { calls: [{ name: 'calculator', input: { a: 1, b: 2 } }] },
  ({ results }) => String(results[0]?.text),
]);

class AssistantAgent extends AgentDefinition {
  provider(): string {
    return 'openai';
  }
  model(): typeof model | string {
    return model;
  }
  override systemPrompt(context: ToolContext): string {
    return `You help ${context.getMeta('user', 'a guest')}.`;
  }
  override tools(): (typeof CalculatorTool | { tag: string })[] {
    return [CalculatorTool, { tag: 'web' }];
  }
  override maxSteps(): number {
    return 5;
  }
}

describe('AgentDefinition', () => {
  it('is an agent with the settings of its methods', async () => {
    const result = await runAgent(AssistantAgent, 'What is 1 + 2?', { board, context: { user: 'Ada' } });
    expect(result).toMatchObject({ ok: true, agent: 'assistant_agent', text: 'Result for Ada: 3' });
    expect(model.requests[0]).toMatchObject({ system: 'You help Ada.', tools: ['calculator', 'search_web'] });
    expect(parseAgent(new AssistantAgent()).limits.maxSteps).toBe(5);
  });

  it('names provider and model', () => {
    class Plain extends AgentDefinition {
      provider(): string {
        return 'anthropic';
      }
      model(): string {
        return 'claude-sonnet-5';
      }
      override temperature(): number {
        return 0.2;
      }
    }
    expect(parseAgent(Plain)).toMatchObject({
      name: 'plain',
      model: { provider: 'anthropic', model: 'claude-sonnet-5' },
      settings: { temperature: 0.2 },
      tools: 'all',
    });
  });

  it('rejects values that are not agents', () => {
    // @ts-expect-error a text is no agent
    expect(() => parseAgent('helper')).toThrow('Not an agent: "helper". Make one with defineAgent()');
    expect(() => defineAgent({ name: 'two words' })).toThrow(
      'name must be 1 to 64 of A-Z a-z 0-9 _ -; got "two words"',
    );
    expect(() => defineAgent({ name: 'a', maxSteps: 0 })).toThrow('maxSteps must be a whole number, 1 or more; got 0');
  });
});

describe('ToolBuilder', () => {
  const builder = new ToolBuilder(board);

  it('builds tools for an agent, from classes and from instances', () => {
    expect(Object.keys(builder.buildForAgent(new AssistantAgent()))).toEqual(['calculator', 'search_web']);
    expect(Object.keys(builder.buildFromClasses([CalculatorTool]))).toEqual(['calculator']);
    expect(Object.keys(builder.buildFromInstances([new CalculatorTool()]))).toEqual(['calculator']);
  });

  it("gives tools whose calls go through the board's pipeline with the context", async () => {
    const seen: string[] = [];
    const stop = board.executor.on('call:finished', ({ tool }) => seen.push(tool));
    const scripted = scriptedModel([
      { calls: [{ name: 'calculator', input: { a: '2', b: 2 } }] },
      ({ results }) => String(results[0]?.text),
    ]);
    const tools = builder.buildFromClasses([CalculatorTool], { user: 'Grace' });
    const { text } = await generateText({ model: scripted, prompt: 'go', tools, stopWhen: isStepCount(3) });
    stop();
    expect([text, seen]).toEqual(['Result for Grace: 4', ['calculator']]);
  });

  it("works in the AI SDK's own ToolLoopAgent", async () => {
    const scripted = scriptedModel([
      { calls: [{ name: 'calculator', input: { a: 2, b: 3 } }] },
      ({ results }) => String(results[0]?.text),
    ]);
    const agent = new ToolLoopAgent({ model: scripted, tools: builder.buildForAgent(AssistantAgent) });
    expect((await agent.generate({ prompt: 'go' })).text).toBe('Result for a guest: 5');
  });
});
