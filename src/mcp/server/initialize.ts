import { isPlainObject } from '../../tool/json.ts';
import { invalidParams } from '../protocol/json-rpc.ts';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS } from '../protocol/versions.ts';
import { readClientApp } from './client-app.ts';
import { LOG_LEVELS, parseLogLevel } from './log-level.ts';
import type { Answer, RequestScope } from './request-scope.ts';
import type { ServerInfo } from './server-info.ts';
import type { Subscriptions } from './subscriptions.ts';
import { hasSessionTasks, sessionTaskCapability } from './tasks/session-tasks.ts';

/** The most characters of a client's capabilities: they are kept with the session, in memory and in the store. */
const MAX_CAPABILITIES = 64 * 1024;

/** Answers `initialize`: agrees on a revision and keeps what the client says about itself with its connection. */
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
  connection.roots.isTold = isPlainObject(roots) && roots['listChanged'] === true;
  // Until the client says otherwise.
  connection.logLevel = 'info';
  subscriptions.follow(connection);
  const tasks = hasSessionTasks(connection) ? sessionTaskCapability(connection) : {};
  const { capabilities: own, ...rest } = info.initialized;
  const more = Object.keys(extensions).length === 0 ? {} : { extensions };
  return { protocolVersion: connection.version, capabilities: { ...own, ...tasks, ...more }, ...rest };
}

/** Answers `logging/setLevel`. */
export function setLevel({ params, connection }: RequestScope): Answer {
  const level = parseLogLevel(params['level']);
  if (level === undefined) throw invalidParams(`params.level must be one of: ${LOG_LEVELS.join(', ')}.`);
  connection.logLevel = level;
  return '{}';
}
