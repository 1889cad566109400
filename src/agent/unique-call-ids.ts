import type { ModelReply } from './model-reply.ts';

/**
 * Gives every call of a reply an id of its own: some servers use the same one for all, and no answer could be told from
 * another. Ids that are unique already stay as they are.
 */
export function withUniqueCallIds(reply: ModelReply): ModelReply {
  if (new Set(reply.calls.map(({ id }) => id)).size === reply.calls.length) return reply;
  const inMessage = createRenamer();
  const inCalls = createRenamer();
  const content = reply.message?.content ?? '';
  return {
    ...reply,
    calls: reply.calls.map((call) => ({ ...call, id: inCalls(call.id) })),
    message:
      typeof content === 'string'
        ? reply.message
        : {
            role: 'assistant',
            content: content.map((part) =>
              part.type === 'tool-call' && part.providerExecuted !== true
                ? { ...part, toolCallId: inMessage(part.toolCallId) }
                : part,
            ),
          },
  };
}

/** The first keeps its id, the others get a number. */
function createRenamer(): (id: string) => string {
  const seen = new Map<string, number>();
  return (id) => {
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count === 1 ? id : `${id}_${count}`;
  };
}
