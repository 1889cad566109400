/** The stateless revision: each request carries its version and the client's capabilities. */
export const MODERN_VERSION = '2026-07-28';

/** Revisions with a handshake, the newest first. */
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** The newest revision with a handshake. */
export const LATEST_LEGACY_VERSION = '2025-11-25';

/** The two styles of the protocol: with a handshake and sessions, or stateless requests. */
export type Era = 'legacy' | 'modern';

/** Keys of `_meta`. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  relatedTask: 'io.modelcontextprotocol/related-task',
} as const;

/** The extension for long calls. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The extension for pages in frames (MCP Apps, SEP-1865). */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

/** The extension for skills (SEP-2640). */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

/** From the least important to the most important. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** A log level of the protocol. */
export type LogLevel = (typeof LOG_LEVELS)[number];

export function parseLogLevel(value: unknown): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === value);
}
