import { byteCount, type ToolContent, type ToolResult } from '../tool/tool-result.ts';
import { capForModel } from '../tool/cap-for-model.ts';

const EMPTY = '(no output)';

/** Returns the content of a result for the model, in order; for a failure only its text. Never empty. */
export function resultBlocks(given: ToolResult): ToolContent[] {
  const result = capForModel(given);
  const content = result.ok ? (result.content ?? []) : [];
  const written = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  // If the pipeline shortened or replaced the text, the texts of the content are out of date.
  const current = content.length > 0 && written === result.text;
  const others = content.filter((block) => block.type !== 'text');
  const blocks = current ? content : [{ type: 'text', text: result.text } as const, ...others];
  const filled = blocks.filter((block) => block.type !== 'text' || block.text !== '');
  return filled.length > 0 ? [...filled] : [{ type: 'text', text: EMPTY }];
}

/** Returns a result as text only, with a note for every block that is not text. */
export function resultText(result: ToolResult): string {
  return resultBlocks(result).map(blockText).join('\n');
}

/** Returns the text of a block, or a note that describes it. */
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
