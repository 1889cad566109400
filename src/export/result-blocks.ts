import { byteCount } from '../tool/byte-count.ts';
import { capForModel } from '../tool/cap-for-model.ts';
import type { ToolContent, ToolResult } from '../tool/tool-result.ts';

const EMPTY = '(no output)';

/** What a model gets of a result, in pieces, in order; a failure is its text alone. Never empty. */
export function resultBlocks(given: ToolResult): ToolContent[] {
  const result = capForModel(given);
  const content = result.ok ? (result.content ?? []) : [];
  const written = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  // Where the pipeline shortened or replaced the text, the pieces' own texts are out of date.
  const current = content.length > 0 && written === result.text;
  const others = content.filter((block) => block.type !== 'text');
  const blocks = current ? content : [{ type: 'text', text: result.text } as const, ...others];
  const filled = blocks.filter((block) => block.type !== 'text' || block.text !== '');
  return filled.length > 0 ? [...filled] : [{ type: 'text', text: EMPTY }];
}

/** What a model gets of a result as text only, with a note for every piece that is not text. */
export function resultText(result: ToolResult): string {
  return resultBlocks(result).map(blockText).join('\n');
}

/** A piece of a result as text: its own, or a note that says what was there. */
export function blockText(block: ToolContent): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} left out: ${block.mimeType}, ${byteCount(block.data)} bytes]`;
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`;
    case 'resource':
      return block.resource.text ?? `[resource left out: ${block.resource.uri}]`;
    default:
      return block satisfies never;
  }
}
