import { describeValue } from '../tool/texts/describe-value.ts';
import { copyError, ToolError } from '../tool/tool-error.ts';
import { cleanMessage } from './clean-message.ts';

/** Converts a thrown value to a typed error with a message for models. */
export function toToolError(thrown: unknown, toolName: string): ToolError {
  if (thrown instanceof ToolError) return withTool(thrown, toolName);
  const message = cleanMessage(messageOf(thrown));
  return new ToolError({
    code: 'execution_failed',
    message: `Tool "${toolName}" failed: ${message}`,
    toolName,
    cause: thrown,
  });
}

/** Adds the tool's name to a `ToolError` that a tool threw. */
function withTool(error: ToolError, toolName: string): ToolError {
  const message = cleanMessage(error.message);
  if (isNamed(error) && message === error.message) return error;
  return copyError(error, { message, toolName, cause: error });
}

/** Returns true when an error names its tool. */
export function isNamed({ toolName }: ToolError): boolean {
  return toolName !== undefined && toolName !== '<unnamed>';
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  if (typeof thrown === 'string') return thrown;
  try {
    const json = JSON.stringify(thrown);
    if (typeof json === 'string' && json !== '{}') return json;
  } catch {
    // Not JSON: described below.
  }
  return `it threw ${describeValue(thrown)}`;
}
