import type { ToolContext } from '../tool-context.ts';

/** The key of a context's metadata under which a server that makes calls for its clients puts the log level a client wants. */
export const LOG_LEVEL_KEY = 'pegboard.logLevel';

/** The least level of the log lines that the caller wants, as MCP names levels; `undefined` where it does not say. */
export function logLevelOf(context: ToolContext): string | undefined {
  const level = context.getMeta(LOG_LEVEL_KEY);
  return typeof level === 'string' ? level : undefined;
}
