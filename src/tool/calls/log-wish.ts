import type { ToolContext } from '../tool-context.ts';

/** The metadata key for the log level that a client wants. */
export const LOG_LEVEL_KEY = 'pegboard.logLevel';

/** Returns the lowest log level that the caller wants, by MCP's names; `undefined` if not set. */
export function logLevelOf(context: ToolContext): string | undefined {
  const level = context.getMeta(LOG_LEVEL_KEY);
  return typeof level === 'string' ? level : undefined;
}
