import { ToolError } from '../../../tool/tool-error.ts';
import { type ToolContent, ToolResult } from '../../../tool/tool-result.ts';
import { isObject, type JsonObject } from '../transports/wire-message.ts';

/** The answer to `tools/call` as a result. What is no content block becomes text. */
export function readCallResult(answer: JsonObject): ToolResult {
  const { content, structuredContent, isError } = answer;
  const blocks = Array.isArray(content) ? content.map(readBlock) : [];
  const only = blocks.length === 1 ? blocks[0] : undefined;
  const written =
    only?.type === 'text'
      ? only.text
      : blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (isError === true) {
    const message = written === '' ? 'The tool failed without saying why.' : written;
    const error = new ToolError({ code: 'execution_failed', message });
    return ToolResult.from({ text: message, content: blocks.length > 1 ? blocks : undefined, error });
  }
  const data = structuredContent ?? undefined;
  // A tool that gives only data is read as its JSON.
  const text = written === '' && data !== undefined ? JSON.stringify(data) : written;
  if (only?.type === 'text' || blocks.length === 0) return ToolResult.from({ text, data });
  return ToolResult.from({ text, data, content: blocks });
}

function readBlock(block: unknown): ToolContent {
  // Its own fields, annotations and all, pass through; the shape was checked.
  return isContent(block) ? block : { type: 'text', text: JSON.stringify(block) ?? '' };
}

function isContent(block: unknown): block is ToolContent {
  if (!isObject(block)) return false;
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string';
    case 'image':
    case 'audio':
      return typeof block['data'] === 'string' && typeof block['mimeType'] === 'string';
    case 'resource_link':
      return typeof block['uri'] === 'string' && typeof block['name'] === 'string';
    case 'resource':
      return isObject(block['resource']) && typeof block['resource']['uri'] === 'string';
    default:
      return false;
  }
}
