// A board and Anthropic: definitions out, a message with two tool_use blocks in, one user message back.
// The message is made up; with `@anthropic-ai/sdk` it is what `messages.create` returns.
import assert from 'node:assert/strict';
import { z } from 'zod';
import {
  defineTool,
  parseAnthropicCalls,
  toAnthropicToolMessage,
  toAnthropicTools,
  ToolRegistry,
} from '../src/index.ts';

const countWords = defineTool({
  name: 'count_words',
  description: 'Count the words of a text.',
  schema: z.object({ text: z.string(), locale: z.string().default('en') }),
  examples: [{ description: 'A short sentence', input: { text: 'To be or not to be' } }],
  execute: ({ text, locale }) => {
    const segments = [...new Intl.Segmenter(locale, { granularity: 'word' }).segment(text)];
    return { words: segments.filter((segment) => segment.isWordLike).length };
  },
});
const board = new ToolRegistry().register(countWords);

const exported = toAnthropicTools(board);
console.log('What Anthropic gets:');
console.dir(exported.tools, { depth: null });

const message = {
  role: 'assistant',
  stop_reason: 'tool_use',
  content: [
    { type: 'text', text: 'I will count both.' },
    { type: 'tool_use', id: 'toolu_1', name: 'count_words', input: { text: 'Hello, wide world', locale: 'en' } },
    { type: 'tool_use', id: 'toolu_2', name: 'count_words', input: { txt: 'Hello' } },
  ],
};

const calls = parseAnthropicCalls(message, exported);
const answer = toAnthropicToolMessage(calls, await board.callAll(calls));
console.log('What goes back:');
console.dir(answer, { depth: null });

const [counted, refused] = answer.content;
assert.deepEqual(exported.tools[0]?.input_examples, [{ text: 'To be or not to be' }]);
assert.deepEqual(counted, { type: 'tool_result', tool_use_id: 'toolu_1', content: '{"words":3}' });
assert.equal(refused?.is_error, true);
assert.match(JSON.stringify(refused.content), /- text: is required/);
