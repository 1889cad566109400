import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from '../model/ai-types.ts';

const CHARACTERS_PER_TOKEN = 4;
const MAX_PICTURE = 4_000;
const PART_OVERHEAD = 20;

interface CompactOptions {
  /** The most estimated tokens it may have. */
  readonly budget: number;
  /** Summarizes the removed messages; `undefined` on failure. */
  readonly summarize: (messages: readonly ModelMessage[]) => Promise<string | undefined>;
}

interface Compacted {
  readonly messages: ModelMessage[];
  /** The number of removed messages. */
  readonly removed: number;
}

/** Estimates the tokens of messages: a quarter of their characters, and a fixed size for images. */
function estimateTokens(messages: readonly ModelMessage[]): number {
  let characters = 0;
  for (const message of messages) {
    let length = lengths.get(message);
    if (length === undefined) lengths.set(message, (length = lengthOf(message)));
    characters += length;
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Cached because messages do not change and every step needs all lengths. */
const lengths = new WeakMap<ModelMessage, number>();

function lengthOf({ content }: ModelMessage): number {
  if (typeof content === 'string') return content.length;
  let length = 0;
  for (const part of content) length += PART_OVERHEAD + partLength(part);
  return length;
}

function partLength(part: Exclude<ModelMessage['content'], string>[number]): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text.length;
    case 'tool-call':
      return part.toolName.length + JSON.stringify(part.input ?? {}).length;
    case 'tool-result':
      return resultLength(part.output);
    default:
      return MAX_PICTURE;
  }
}

function resultLength(output: { readonly type: string; readonly value?: unknown }): number {
  if (typeof output.value === 'string') return output.value.length;
  return JSON.stringify(output.value ?? '', shortenBytes).length;
}

export function isTooLong(messages: readonly ModelMessage[], budget: number): boolean {
  return messages.length > 2 && estimateTokens(messages) > budget;
}

/**
 * Replaces the oldest part of a history with a summary and keeps about half of the budget. A tool call and its result stay together, and
 * the last user message always stays.
 */
export async function compactHistory(
  messages: readonly ModelMessage[],
  { budget, summarize }: CompactOptions,
): Promise<Compacted> {
  const cut = findCut(messages, budget / 2);
  if (cut === 0) return { messages: [...messages], removed: 0 };
  const removed = messages.slice(0, cut);
  const kept = repairHistory(messages.slice(cut));
  const lastUser = removed.findLast(({ role }) => role === 'user');
  const asked = kept.some(({ role }) => role === 'user') ? undefined : lastUser;
  const summary = (await summarize(removed)) ?? 'Earlier messages are no longer available.';
  const note: ModelMessage = { role: 'user', content: `Summary of the conversation so far:\n\n${summary}` };
  return { messages: asked === undefined ? [note, ...kept] : [note, asked, ...kept], removed: cut };
}

/** Finds the start of the part to keep: never a tool result, whose call would be missing. */
function findCut(messages: readonly ModelMessage[], budget: number): number {
  let left = budget;
  let cut = messages.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) break;
    left -= estimateTokens([message]);
    // The newest exchange stays whatever its size.
    if (left < 0 && cut < messages.length) break;
    if (message.role !== 'tool') cut = index;
  }
  return cut === messages.length ? 0 : cut;
}

function shortenBytes(_: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return ' '.repeat(MAX_PICTURE);
  const isData = typeof value === 'string' && value.length > MAX_PICTURE && /^[A-Za-z0-9+/=]+$/.test(value);
  return isData ? value.slice(0, MAX_PICTURE) : value;
}

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
