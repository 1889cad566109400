import type { ToolLog } from '../../tool/tool-context.ts';

/** How much a log line matters, the least first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** One of the protocol's log levels. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Takes a level from a message; `undefined` for anything else. */
export function parseLogLevel(value: unknown): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === value);
}

/** Whether a client that asked for lines from `least` on wants a line of this level. */
export function isWanted(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

/** The protocol's word for a level of ours. */
export function toLogLevel(level: keyof ToolLog): LogLevel {
  return level === 'warn' ? 'warning' : level;
}
