import { fitJson, type JsonFault } from '../tool/json-text/json-fit.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';

/** Converts a tool's return value to a result. Throws a `ToolError` for values that JSON cannot represent or would lose. */
export function shapeOutput(output: unknown, toolName: string): ToolResult {
  if (typeof output === 'string') return ToolResult.text(output);
  if (output === undefined) return ToolResult.text('(no output)');
  const isResult = output instanceof ToolResult;
  const fit = isResult ? fitResult(output) : fitJson(output);
  if (typeof fit === 'object') throw toError(fit, toolName);
  if (isResult) return output;
  try {
    const text = JSON.stringify(output);
    if (text !== undefined) return ToolResult.from({ text, data: output });
  } catch (cause) {
    throw unserialisable('it refuses to be serialised', { toolName, cause });
  }
  throw unserialisable('it refuses to be serialised', { toolName });
}

function fitResult({ data, content }: ToolResult): ReturnType<typeof fitJson> {
  const fit = data === undefined ? 'same' : fitJson(data);
  return typeof fit === 'object' || content === undefined ? fit : fitJson(content);
}

function toError({ path, what, remedy, isTooMuch }: JsonFault, toolName: string): ToolError {
  if (isTooMuch === true) {
    const message = `Tool "${toolName}" ran, but its result ${what}. ${remedy}`;
    return new ToolError({ code: 'output_too_large', message, toolName });
  }
  return unserialisable(`${path === '' ? 'the result' : `"${path}"`} ${what}`, { toolName, remedy });
}

function unserialisable(
  fault: string,
  { toolName, remedy, cause }: { readonly toolName: string; readonly remedy?: string; readonly cause?: unknown },
): ToolError {
  const advice = remedy === undefined || remedy === '' ? '' : ` ${remedy}`;
  const message = `Tool "${toolName}" ran, but its result cannot be sent as JSON: ${fault}. Its author must return text or plain JSON.${advice}`;
  return new ToolError({ code: 'execution_failed', message, toolName, cause });
}
