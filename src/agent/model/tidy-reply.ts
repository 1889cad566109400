import { isPlainObject } from '../../tool/json.ts';
import { toResultOutput } from '../../export/ai-sdk.ts';
import type { AgentCall } from '../loop/agent-result.ts';
import type { ToolModelMessage } from './ai-types.ts';
import type { ModelReply } from './model-reply.ts';

type Part = Exclude<NonNullable<ModelReply['message']>['content'], string>[number];

/**
 * Makes the calls of a reply acceptable to every provider: unique ids (some servers repeat them), names of allowed characters (models
 * invent names), and objects as input. `calls` keeps the original names and inputs, so that the model learns what it did.
 */
export function tidyReply(reply: ModelReply): ModelReply {
  if (reply.calls.length === 0) return reply;
  const inMessage = createRenamer();
  const inCalls = createRenamer();
  const { message } = reply;
  return {
    ...reply,
    calls: reply.calls.map((call) => ({ ...call, id: inCalls(call.id) })),
    message:
      message === undefined || typeof message.content === 'string'
        ? message
        : { ...message, content: message.content.map((part) => tidyPart(part, inMessage)) },
  };
}

/** Creates the message with the results of a reply's calls, under the names in the reply. */
export function toToolMessage(
  reply: ModelReply,
  calls: readonly AgentCall[],
  toProvider: (name: string) => string,
): ToolModelMessage {
  const names = new Map(reply.calls.map(({ id, name }) => [id, tidyName(name)]));
  const content = calls.map(({ callId, tool, result }) => ({
    type: 'tool-result' as const,
    toolCallId: callId,
    toolName: names.get(callId) ?? toProvider(tool),
    output: toResultOutput(result),
  }));
  return { role: 'tool', content };
}

/** Returns a name that providers accept: 1 to 64 of `A-Z a-z 0-9 _ -`. */
function tidyName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

function tidyPart(part: Part, rename: (id: string) => string): Part {
  if (part.type !== 'tool-call' || part.providerExecuted === true) return part;
  return {
    ...part,
    toolCallId: rename(part.toolCallId),
    toolName: tidyName(part.toolName),
    input: isPlainObject(part.input) ? part.input : {},
  };
}

/** The first call keeps its id, further ones get a number. */
function createRenamer(): (id: string) => string {
  const seen = new Map<string, number>();
  return (id) => {
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count === 1 ? id : `${id}_${count}`;
  };
}
