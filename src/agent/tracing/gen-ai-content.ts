import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import type { ModelMessage } from '../model/ai-types.ts';
import type { ModelReply } from '../model/model-reply.ts';
import type { PreparedRun } from '../loop/prepare-run.ts';

type Part = Exclude<ModelMessage['content'], string>[number];

/** A message in the format of OpenTelemetry's GenAI conventions. */
interface ToldMessage {
  readonly role: string;
  readonly parts: readonly Readonly<Record<string, unknown>>[];
}

/** Serializes a request's messages and tools for spans with content: JSON, since attributes cannot be objects. */
export function inputContent(
  { system, shownTools }: Pick<PreparedRun, 'system' | 'shownTools'>,
  messages: readonly ModelMessage[],
): Record<string, string> {
  const definitions = shownTools.declared.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema as JsonSchema,
  }));
  return {
    ...(system === undefined
      ? {}
      : { 'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: system }]) }),
    'gen_ai.input.messages': JSON.stringify(messages.map(toTold)),
    ...(definitions.length === 0 ? {} : { 'gen_ai.tool.definitions': JSON.stringify(definitions) }),
  };
}

/** Serializes a model's answer. */
export function outputContent({ message, finishReason }: ModelReply): Record<string, string> {
  const told = message === undefined ? { role: 'assistant', parts: [] } : toTold(message);
  const reason = finishReason === 'tool-calls' ? 'tool_call' : finishReason.replace('-', '_');
  return { 'gen_ai.output.messages': JSON.stringify([{ ...told, finish_reason: reason }]) };
}

function toTold({ role, content }: ModelMessage): ToldMessage {
  return { role, parts: typeof content === 'string' ? [{ type: 'text', content }] : content.map(toPart) };
}

function toPart(part: Part): Readonly<Record<string, unknown>> {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.toolCallId, name: part.toolName, arguments: part.input };
    case 'tool-result':
      return {
        type: 'tool_call_response',
        id: part.toolCallId,
        response: 'value' in part.output ? withoutFiles(part.output.value) : null,
      };
    default:
      // Images and files are large, so only their type is recorded.
      return { type: part.type };
  }
}

/** Returns a tool's output with images and files reduced to their type. */
function withoutFiles(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((part: unknown) =>
    isPlainObject(part) && part['type'] === 'file' ? { type: 'file', mediaType: part['mediaType'] } : part,
  );
}
