import { MODERN_VERSION, TASKS_EXTENSION } from '../protocol/versions.ts';
import type { McpServerOptions } from './server-options.ts';

/** The server's description of itself, in both styles of the protocol. */
export interface ServerInfo {
  readonly serverInfo: Readonly<Record<string, unknown>>;
  /** The answer to `initialize` without the version and the instructions. */
  readonly initialized: Readonly<Record<string, unknown>> & {
    readonly capabilities: Readonly<Record<string, unknown>>;
  };
  /** The answer to `server/discover` without the instructions. */
  readonly discovered: Readonly<Record<string, unknown>> & {
    readonly capabilities: Readonly<Record<string, unknown>> & { readonly extensions: object };
  };
}

const DISCOVERY_TTL = 60_000;

/** Writes down what the server is and can do. */
export function describeServer(options: McpServerOptions): ServerInfo {
  const { name = 'pegboard', title, version = '0.0.0', icons } = options;
  const serverInfo = { name, title, version, icons };
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    completions: {},
    logging: {},
  };
  return {
    serverInfo,
    initialized: { capabilities, serverInfo },
    discovered: {
      supportedVersions: [MODERN_VERSION],
      capabilities: { ...capabilities, extensions: { [TASKS_EXTENSION]: {} } },
      ttlMs: DISCOVERY_TTL,
    },
  };
}
