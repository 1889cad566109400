// A board in the AI SDK's own loop. Only the model is a mock: it calls a tool wrongly, then rightly, then answers.
import assert from 'node:assert/strict';
import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { toAiSdkTools } from '../src/ai-sdk.ts';
import { defineTool, ToolRegistry } from '../src/index.ts';

const loanRate = defineTool({
  name: 'loan_rate',
  description: 'The monthly rate of a loan.',
  schema: z.object({ amount: z.number().positive(), percent: z.number().min(0).max(30), years: z.int().min(1) }),
  execute: ({ amount, percent, years }) => {
    const monthly = percent / 1200;
    const rate = monthly === 0 ? amount / (years * 12) : (amount * monthly) / (1 - (1 + monthly) ** (-12 * years));
    return { rate: Math.round(rate * 100) / 100, months: years * 12 };
  },
});
const board = new ToolRegistry().register(loanRate);

const noTokens = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { inputTokens: noTokens, outputTokens: { total: 0, text: 0, reasoning: 0 } };
const ask = (id: string, input: object) => ({
  content: [{ type: 'tool-call' as const, toolCallId: id, toolName: 'loan_rate', input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls' as const, raw: undefined },
  usage,
  warnings: [],
});
const model = new MockLanguageModelV4({
  doGenerate: [
    ask('call_1', { amount: 200_000, percent: 350, years: 20 }),
    ask('call_2', { amount: 200_000, percent: 3.5, years: 20 }),
    {
      content: [{ type: 'text', text: 'You would pay 1,159.92 a month.' }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    },
  ],
});

const { text, steps } = await generateText({
  model,
  tools: toAiSdkTools(board),
  stopWhen: isStepCount(5),
  prompt: 'What does a loan of 200,000 over 20 years at 3.5 percent cost?',
});

const parts = steps.flatMap((step) => step.content);
for (const part of parts) {
  if (part.type === 'tool-error') console.log(`failed  ${String(part.error)}`);
  if (part.type === 'tool-result') console.log(`ok      ${JSON.stringify(part.output)}`);
}
console.log(text);

assert.deepEqual(
  parts.filter((part) => part.type.startsWith('tool-')).map((part) => part.type),
  ['tool-call', 'tool-error', 'tool-call', 'tool-result'],
);
assert.deepEqual(parts.find((part) => part.type === 'tool-result')?.output, { rate: 1159.92, months: 240 });
assert.match(text, /1,159\.92/);
