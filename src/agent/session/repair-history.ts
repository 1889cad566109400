import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from '../model/ai-types.ts';

type ToolResultPart = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>;
type ToolCallPart = { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string };

/**
 * Returns a history that every provider accepts: each tool call is answered once, right after it and in order, and answers without a call
 * are dropped. Calls without an answer get one that says the run was interrupted.
 */
export function repairHistory(messages: readonly ModelMessage[]): ModelMessage[] {
  const repaired: ModelMessage[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined || message.role === 'tool') continue;
    repaired.push(message);
    const calls = message.role === 'assistant' ? openCalls(message) : [];
    if (calls.length === 0) continue;
    const answers = new Map<string, ToolResultPart>();
    for (let next = index + 1; messages[next]?.role === 'tool'; next++) {
      // The role determines the type of the message.
      for (const part of (messages[next] as ToolModelMessage).content) {
        if (part.type === 'tool-result' && !answers.has(part.toolCallId)) answers.set(part.toolCallId, part);
      }
    }
    repaired.push({ role: 'tool', content: calls.map((call) => answers.get(call.toolCallId) ?? interrupted(call)) });
  }
  return repaired;
}

/** Returns the calls of a message that the provider has not answered itself. */
function openCalls({ content }: AssistantModelMessage): ToolCallPart[] {
  if (typeof content === 'string') return [];
  return content
    .filter((part) => part.type === 'tool-call')
    .filter(({ providerExecuted }) => providerExecuted !== true);
}

function interrupted({ toolCallId, toolName }: ToolCallPart): ToolResultPart {
  const value =
    'The run was interrupted before this call was answered. It is unknown whether it ran: check before you repeat it.';
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value } };
}
