// A board and Gemini: declarations out, a response with two calls in, one content with the answers back.
// The response is made up; with `@google/genai` it is what `models.generateContent` returns.
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineTool, parseGeminiCalls, toGeminiToolMessage, toGeminiTools, ToolRegistry } from '../src/index.ts';

const convertLength = defineTool({
  name: 'convert_length',
  description: 'Convert a length between units.',
  schema: z.object({
    value: z.number(),
    from: z.enum(['m', 'ft', 'in']),
    to: z.enum(['m', 'ft', 'in']),
    digits: z.literal([0, 1, 2]).default(2),
  }),
  execute: ({ value, from, to, digits }) => {
    const metres = { m: 1, ft: 0.3048, in: 0.0254 };
    return `${((value * metres[from]) / metres[to]).toFixed(digits)} ${to}`;
  },
});
const board = new ToolRegistry().register(convertLength);

// Gemini accepts only texts in an enum; the report says so, and the answers are mapped back.
const exported = toGeminiTools(board);
console.log('What Gemini gets:');
console.dir({ functionDeclarations: exported.tools }, { depth: null });
console.log(`What had to change:\n  ${exported.report.toString().replaceAll('\n', '\n  ')}`);

const call = (args: object) => ({ functionCall: { name: 'convert_length', args } });
const response = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [call({ value: 10, from: 'ft', to: 'm', digits: '1' }), call({ value: 10, from: 'mile', to: 'm' })],
      },
    },
  ],
};

const calls = parseGeminiCalls(response, exported);
const answer = toGeminiToolMessage(calls, await board.callAll(calls), exported);
console.log('What goes back:');
console.dir(answer, { depth: null });

const [converted, refused] = answer.parts;
assert.deepEqual(calls[0]?.input, { value: 10, from: 'ft', to: 'm', digits: 1 });
assert.deepEqual(converted?.functionResponse, { name: 'convert_length', response: { output: '3.0 m' } });
assert.ok('error' in (refused?.functionResponse.response ?? {}));
