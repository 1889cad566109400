import { byteCount, type ToolContent, type ToolResult } from '../tool/tool-result.ts';
import { isJsonOf } from '../tool/json.ts';
import { copyError, ToolError } from '../tool/tool-error.ts';

/** Size limits of a result. */
export interface OutputLimits {
  /** Maximum characters of text. */
  readonly maxOutput: number;
  /** Maximum bytes of images, audio and files. */
  readonly maxMedia: number;
  /** Stores a text and returns its id; nothing on failure. */
  readonly keep: ((text: string) => string | undefined) | undefined;
}

/**
 * Truncates a result's texts to their limit: keeps head and tail, with a line between them that says what is missing and where it is
 * stored. Drops images, audio and files over their own limit. Throws when nothing would be left.
 */
export function capOutput(given: ToolResult, limits: OutputLimits, toolName: string): ToolResult {
  const result = given.content === undefined ? given : capContent(given, limits, toolName);
  const { text, data, content, error, meta } = result;
  if (text.length <= limits.maxOutput) return result;
  // JSON is one line; formatted, it can be searched and read in parts.
  const isData = typeof data === 'object' && data !== null && isJsonOf(text, data);
  const id = limits.keep?.(isData ? JSON.stringify(data, undefined, 2) : text);
  const short = cutText(text, limits.maxOutput, id);
  const others = content?.filter((block) => block.type !== 'text') ?? [];
  const truncated = { from: text.length, to: short.length, ...(id === undefined ? {} : { id }) };
  return result.with({
    text: short,
    content: others.length === 0 ? undefined : [{ type: 'text', text: short }, ...others],
    error: error?.message === text ? copyError(error, { message: short }) : error,
    // Data stays complete: programs use it, and half a JSON value is worse than none.
    meta: { ...meta, truncated },
  });
}

/** Limits the content blocks; their texts are cut together with the result's text. */
function capContent(result: ToolResult, limits: OutputLimits, toolName: string): ToolResult {
  const content = result.content ?? [];
  const notes: string[] = [];
  let bytes = 0;
  let room = limits.maxOutput;
  const capped = content.map((block): ToolContent => {
    const size = mediaSize(block);
    if (size > 0 && bytes + size > limits.maxMedia) {
      const note = `[${describeMedia(block)} left out: ${count(size)} bytes. A result may have ${count(limits.maxMedia)} bytes of pictures, sounds and files (max_media).]`;
      notes.push(note);
      return { type: 'text', text: note };
    }
    bytes += size;
    if (block.type === 'resource_link') room -= JSON.stringify(block).length;
    if (room < 0) throw tooLarge(toolName, `more than ${count(limits.maxOutput)} characters of links (max_output)`);
    if (block.type !== 'resource' || block.resource.text === undefined) return block;
    const { text } = block.resource;
    const fits = Math.max(room, LEAST);
    const part = text.length > fits ? cutText(text, fits, limits.keep?.(text)) : text;
    room = Math.max(0, room - part.length);
    return part === text ? block : { ...block, resource: { ...block.resource, text: part } };
  });
  if (notes.length > 0 && notes.length === content.length && result.data === undefined)
    throw tooLarge(toolName, `more than ${count(limits.maxMedia)} bytes of pictures, sounds and files (max_media)`);
  if (capped.every((block, index) => block === content[index])) return result;
  const isJoined = result.text === joinTexts(content);
  return result.with({
    text: isJoined ? joinTexts(capped) : [result.text, ...notes].filter((text) => text !== '').join('\n'),
    content: capped,
  });
}

/** Characters of an embedded text to show even when the limit is used up. */
const LEAST = 500;

function cutText(text: string, limit: number, id: string | undefined): string {
  const head = sliceWhole(text, 0, Math.ceil(limit * 0.75));
  const tail = sliceWhole(text, text.length - Math.floor(limit * 0.25), text.length);
  const missing = text.length - head.length - tail.length;
  const advice =
    id === undefined
      ? '. Ask for a smaller part to see them.'
      : `; read them with output_read or output_search, id "${id}"`;
  return `${head}\n\n[${missing} of ${text.length} characters left out here${advice}]\n\n${tail}`;
}

function joinTexts(content: readonly ToolContent[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function mediaSize(block: ToolContent): number {
  if (block.type === 'image' || block.type === 'audio') return byteCount(block.data);
  return block.type === 'resource' && block.resource.blob !== undefined ? byteCount(block.resource.blob) : 0;
}

function describeMedia(block: ToolContent): string {
  if (block.type === 'image' || block.type === 'audio') return `${block.type} (${block.mimeType})`;
  return block.type === 'resource' ? `resource ${block.resource.uri}` : block.type;
}

function count(amount: number): string {
  return amount.toLocaleString('en-US');
}

/** Returns a slice that does not split a surrogate pair. */
function sliceWhole(text: string, start: number, end: number): string {
  const isLow = (index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00;
  return text.slice(isLow(start) ? start + 1 : start, end < text.length && isLow(end) ? end - 1 : end);
}

function tooLarge(toolName: string, what: string): ToolError {
  const message = `Tool "${toolName}" ran, but its result has ${what}. Ask for less.`;
  return new ToolError({ code: 'output_too_large', message, toolName });
}
