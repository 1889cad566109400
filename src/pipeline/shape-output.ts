import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';

/** Turns what a tool returned into a result. Throws a `ToolError` for what JSON cannot carry. */
export function shapeOutput(output: unknown, toolName: string): ToolResult {
  if (typeof output === 'string') return ToolResult.text(output);
  if (output instanceof ToolResult) return output;
  if (output === undefined) return ToolResult.text('(no output)');
  try {
    const text = JSON.stringify(output);
    if (text !== undefined) return ToolResult.from({ text, data: output });
  } catch (cause) {
    throw unserialisable(output, toolName, cause);
  }
  throw unserialisable(output, toolName, undefined);
}

/** Shortens a result's text to its limit: head and tail stay, with a line that says what is missing. */
export function capOutput(result: ToolResult, limit: number, toolName: string): ToolResult {
  if (result.content !== undefined) {
    const size = result.content.reduce((sum, block) => sum + JSON.stringify(block).length, 0);
    if (size > limit) throw tooLarge(toolName, size, limit);
  }
  const from = result.text.length;
  if (from <= limit) return result;
  const head = sliceWhole(result.text, 0, Math.ceil(limit * 0.75));
  const tail = sliceWhole(result.text, from - Math.floor(limit * 0.25), from);
  const missing = from - head.length - tail.length;
  const text = `${head}\n\n[${missing} of ${from} characters left out here. Ask for a smaller part to see them.]\n\n${tail}`;
  // Data stays whole: half a JSON value is worse than none, and programs ask for it.
  return result.with({ text, meta: { ...result.meta, truncated: { from, to: text.length } } });
}

/** A slice that does not cut a surrogate pair in two. */
function sliceWhole(text: string, start: number, end: number): string {
  const isLow = (index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00;
  return text.slice(isLow(start) ? start + 1 : start, end < text.length && isLow(end) ? end - 1 : end);
}

function tooLarge(toolName: string, size: number, limit: number): ToolError {
  const message = `Tool "${toolName}" gave ${size} characters of content, more than the ${limit} allowed. Ask for less.`;
  return new ToolError({ code: 'output_too_large', message, toolName });
}

function unserialisable(output: unknown, toolName: string, cause: unknown): ToolError {
  const fault = findFault(output, '', []);
  const message = `Tool "${toolName}" ran, but its result cannot be sent as JSON: ${fault}. Its author must return text or plain JSON.`;
  return new ToolError({ code: 'execution_failed', message, toolName, cause });
}

/** Names the first thing that JSON cannot carry, and where it is. */
function findFault(value: unknown, path: string, above: readonly object[]): string {
  const place = path === '' ? 'the result' : `"${path.slice(1)}"`;
  if (typeof value === 'bigint') return `${place} is a BigInt`;
  if (typeof value === 'function' || typeof value === 'symbol') return `${place} is a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return '';
  if (above.includes(value)) return `${place} contains itself`;
  if (above.length > 50) return `${place} is nested too deeply`;
  for (const [key, item] of Object.entries(value)) {
    const fault = findFault(item, `${path}.${key}`, [...above, value]);
    // A function inside an object is left out by JSON, not refused.
    if (fault !== '' && typeof item !== 'function' && typeof item !== 'symbol') return fault;
  }
  return path === '' ? 'it refuses to be serialised' : '';
}
