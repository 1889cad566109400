import { isPlainObject } from '../../tool/json.ts';
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

/** Returns a name that providers accept: 1 to 64 of `A-Z a-z 0-9 _ -`. */
export function tidyName(name: string): string {
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
