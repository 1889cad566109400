import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ModelMessage } from '../model/ai-types.ts';
import { compactHistory, isTooLong, repairHistory } from '../session/compact-history.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const text = fc.string({ maxLength: 400 });
const call = id.map((toolCallId) => ({ type: 'tool-call' as const, toolCallId, toolName: 't', input: {} }));
const result = fc.tuple(id, text).map(([toolCallId, value]) => ({
  type: 'tool-result' as const,
  toolCallId,
  toolName: 't',
  output: { type: 'text' as const, value },
}));
const uniqueCalls = fc.uniqueArray(call, { maxLength: 4, selector: ({ toolCallId }) => toolCallId });
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  text.map((content) => ({ role: 'user' as const, content })),
  text.map((content) => ({ role: 'assistant' as const, content })),
  uniqueCalls.map((content) => ({ role: 'assistant' as const, content })),
  fc.array(result, { maxLength: 4 }).map((content) => ({ role: 'tool' as const, content })),
);

/** Checks that every call is answered once, right after it and in order, and that nothing else is answered. */
function expectSound(messages: readonly ModelMessage[]): void {
  for (const [index, { role, content }] of messages.entries()) {
    const next = messages[index + 1];
    const calls =
      role === 'assistant' && typeof content !== 'string'
        ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
        : [];
    const answers =
      next?.role === 'tool'
        ? next.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
        : [];
    if (role !== 'tool') expect(answers).toEqual(calls);
  }
  expect(messages[0]?.role).not.toBe('tool');
}

it('repairs any history so that providers accept it', () => {
  fc.assert(fc.property(fc.array(message, { maxLength: 30 }), (messages) => expectSound(repairHistory(messages))));
});

it('leaves a valid history unchanged', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 30 }), (messages) => {
      const sound = repairHistory(messages);
      expect(repairHistory(sound)).toEqual(sound);
    }),
  );
});

it('never cuts between a call and its result, keeps the newest exchange and the last question', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 10, max: 1000 }),
      async (given, budget) => {
        const messages = repairHistory([{ role: 'user', content: 'first' }, ...given]);
        const { messages: kept, removed } = await compactHistory(messages, { budget, summarize: async () => 'sum' });
        expectSound(kept);
        expect(kept.at(-1)).toEqual(messages.at(-1));
        if (removed === 0) expect(kept).toEqual(messages);
        else {
          expect(kept[0]).toEqual({ role: 'user', content: 'Summary of the conversation so far:\n\nsum' });
          expect(kept).toContainEqual(messages.findLast(({ role }) => role === 'user'));
        }
      },
    ),
  );
});

it('counts an image as a fixed size', () => {
  const picture = { type: 'file' as const, data: 'A'.repeat(4_000_000), mediaType: 'image/png' };
  const messages: ModelMessage[] = ['x', 'y', 'z'].map(() => ({ role: 'user', content: [picture] }));
  expect(isTooLong(messages, 4_000)).toBe(false);
});
