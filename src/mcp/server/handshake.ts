import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { BoardParts } from '../../discovery/board-like.ts';
import { invalidParams } from '../protocol/json-rpc.ts';
import {
  LATEST_LEGACY_VERSION,
  LEGACY_VERSIONS,
  LOG_LEVELS,
  MODERN_VERSION,
  parseLogLevel,
  TASKS_EXTENSION,
} from '../protocol/mcp-names.ts';
import { readClientApp } from './client-info.ts';
import type { Answer, RequestScope } from './request-scope.ts';
import type { McpServerOptions } from './server-options.ts';
import type { Subscriptions } from './subscriptions.ts';
import { hasSessionTasks, sessionTaskCapability } from './tasks/session-tasks.ts';
import { isPlainObject } from '../../tool/json.ts';
import { quoteText } from '../../tool/texts/reveal-hidden.ts';
import { restrictingSources } from '../../tool/tool-names.ts';

/** The server's description of itself, in both styles of the protocol. */
export interface ServerInfo {
  readonly serverInfo: Readonly<Record<string, unknown>>;
  /** The answer to `initialize` without version and instructions. */
  readonly initialized: Readonly<Record<string, unknown>> & {
    readonly capabilities: Readonly<Record<string, unknown>>;
  };
  /** The answer to `server/discover` without instructions. */
  readonly discovered: Readonly<Record<string, unknown>> & {
    readonly capabilities: Readonly<Record<string, unknown>> & { readonly extensions: object };
  };
}

const DISCOVERY_TTL = 60_000;

/** Describes the server and its capabilities. */
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

/** The most characters of a client's capabilities: they are stored with the session. */
const MAX_CAPABILITIES = 64 * 1024;

/** Answers `initialize`: agrees on a revision and stores the client's facts. */
export function initialize(
  { params, connection }: RequestScope,
  info: ServerInfo,
  { subscriptions, extensions }: { readonly subscriptions: Subscriptions; readonly extensions: object },
): Readonly<Record<string, unknown>> {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== 'string')
    throw invalidParams('params.protocolVersion must be a string, such as "2025-11-25".');
  const size = JSON.stringify(capabilities ?? {}).length;
  if (size > MAX_CAPABILITIES)
    throw invalidParams(`params.capabilities has ${size} characters; ${MAX_CAPABILITIES} is the most.`);
  connection.version = LEGACY_VERSIONS.includes(protocolVersion) ? protocolVersion : LATEST_LEGACY_VERSION;
  connection.capabilities = isPlainObject(capabilities) ? capabilities : {};
  connection.app = readClientApp(clientInfo);
  const { roots } = connection.capabilities;
  connection.roots.announcesChanges = isPlainObject(roots) && roots['listChanged'] === true;
  // The default, until the client sets a level.
  connection.logLevel = 'info';
  subscriptions.follow(connection);
  const tasks = hasSessionTasks(connection) ? sessionTaskCapability(connection) : {};
  const { capabilities: own, ...rest } = info.initialized;
  const more = Object.keys(extensions).length === 0 ? {} : { extensions };
  return { protocolVersion: connection.version, capabilities: { ...own, ...tasks, ...more }, ...rest };
}

export function setLevel({ params, connection }: RequestScope): Answer {
  const level = parseLogLevel(params['level']);
  if (level === undefined) throw invalidParams(`params.level must be one of: ${LOG_LEVELS.join(', ')}.`);
  connection.logLevel = level;
  return '{}';
}

/** Characters of one server's instructions, and of all together. */
const MAX_ONE = 4_000;
const MAX_ALL = 16_000;

/**
 * Joins the board's instructions with those of each server. Each server is named and each of its lines quoted, so that none can speak
 * for the board. A caller gets the instructions of servers whose tools it can use.
 */
export function joinInstructions(
  own: string | undefined,
  servers: NonNullable<BoardParts['servers']>,
  registry: ToolRegistry,
): string | undefined {
  const speaking = servers.filter(({ instructions = '' }) => instructions !== '');
  const reached = speaking.length === 0 ? new Set<string>() : new Set(registry.getAll().flatMap(restrictingSources));
  const parts = own === undefined || own === '' ? [] : [own];
  let room = MAX_ALL;
  for (const { name, instructions = '' } of speaking) {
    if (!reached.has(name) || room <= 0) continue;
    const text = instructions.slice(0, Math.min(room, MAX_ONE)).toWellFormed();
    room -= text.length;
    const cut = text.length < instructions.length ? ['> …'] : [];
    const lines = text.split('\n').map((line) => `> ${line}`.trimEnd());
    parts.push([`The server ${quoteText(name)} says about its tools:`, ...lines, ...cut].join('\n'));
  }
  return parts.length === 0 ? undefined : parts.join('\n\n');
}
