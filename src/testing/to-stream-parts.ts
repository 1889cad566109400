import type { GenerateResult, StreamPart } from '../agent/model/ai-types.ts';

/** Splits an answer into the parts that a provider would stream. */
export function toStreamParts(result: GenerateResult): StreamPart[] {
  const parts: StreamPart[] = [{ type: 'stream-start', warnings: result.warnings }];
  for (const [index, part] of result.content.entries()) {
    const id = String(index);
    switch (part.type) {
      case 'text':
        parts.push({ type: 'text-start', id });
        for (const delta of pieces(part.text)) parts.push({ type: 'text-delta', id, delta });
        parts.push({ type: 'text-end', id, ...metadataOf(part) });
        break;
      case 'reasoning':
        parts.push({ type: 'reasoning-start', id });
        for (const delta of pieces(part.text)) parts.push({ type: 'reasoning-delta', id, delta });
        parts.push({ type: 'reasoning-end', id, ...metadataOf(part) });
        break;
      case 'tool-call':
        parts.push({ type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName });
        parts.push({ type: 'tool-input-delta', id: part.toolCallId, delta: part.input });
        parts.push({ type: 'tool-input-end', id: part.toolCallId }, part);
        break;
      default:
        parts.push(part);
    }
  }
  if (result.response !== undefined) {
    const { id, timestamp, modelId } = result.response;
    parts.push({
      type: 'response-metadata',
      ...(id === undefined ? {} : { id }),
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(modelId === undefined ? {} : { modelId }),
    });
  }
  parts.push({ type: 'finish', usage: result.usage, finishReason: result.finishReason });
  return parts;
}

/** Returns the provider's metadata of a part, such as a signature. */
function metadataOf<T>({ providerMetadata }: { readonly providerMetadata?: T }): { providerMetadata?: T } {
  return providerMetadata === undefined ? {} : { providerMetadata };
}

/** Splits a text into words with the space after them, as models write. */
function pieces(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}
