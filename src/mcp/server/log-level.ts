/** The levels of log lines, the least important first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** One of the protocol's log levels. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Takes a level from a message; `undefined` for anything else. */
export function parseLogLevel(value: unknown): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === value);
}
