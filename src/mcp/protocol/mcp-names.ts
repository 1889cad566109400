/** The stateless revision: each request says its version and what the client can do. */
export const MODERN_VERSION = '2026-07-28';

/** Revisions with a handshake, the newest first. */
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** The newest revision with a handshake. */
export const LATEST_LEGACY_VERSION = '2025-11-25';

/** The two styles of the protocol: with a handshake and sessions, or each request by itself. */
export type Era = 'legacy' | 'modern';

/** Names under `_meta` that the protocol uses. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  relatedTask: 'io.modelcontextprotocol/related-task',
} as const;

/** The extension for calls that take long. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The extension for pages that hosts show in frames (MCP Apps, SEP-1865). */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

/** The extension for skills (SEP-2640). */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

/** The levels of log lines, the least important first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** One of the protocol's log levels. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Takes a level from a message; `undefined` for anything else. */
export function parseLogLevel(value: unknown): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === value);
}
