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
