import { MODERN_VERSION, TASKS_EXTENSION } from '../protocol/versions.ts';
import type { McpServerOptions } from './server-options.ts';

/** What the server says about itself, in both eras. */
export interface ServerInfo {
  readonly serverInfo: Readonly<Record<string, unknown>>;
  /** What `initialize` answers besides the version. */
  readonly initialized: Readonly<Record<string, unknown>> & {
    readonly capabilities: Readonly<Record<string, unknown>>;
  };
  /** What `server/discover` answers, as JSON. */
  readonly discovered: string;
}

const DISCOVERY_TTL = 60_000;

/** Writes down what the server is and can do. */
export function describeServer(options: McpServerOptions): ServerInfo {
  const { name = 'pegboard', title, version = '0.0.0', icons, instructions } = options;
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
    initialized: { capabilities, serverInfo, instructions },
    discovered: JSON.stringify({
      supportedVersions: [MODERN_VERSION],
      capabilities: { ...capabilities, extensions: { [TASKS_EXTENSION]: {} } },
      instructions,
      ttlMs: DISCOVERY_TTL,
      cacheScope: 'public',
    }),
  };
}
