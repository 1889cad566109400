import { isPlainObject } from '../../tool/json.ts';
import type { ClientCapabilities, Connection } from './connection.ts';
import { type LogLevel, parseLogLevel } from '../protocol/mcp-names.ts';

/** The outcome of a handshake with later changes: what another process needs to continue a session. */
export interface ConnectionState {
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LogLevel | undefined;
  readonly subscribed: readonly string[];
}

export function readConnectionState(connection: Connection): ConnectionState {
  const { version = '', capabilities, logLevel, subscribed } = connection;
  return { version, capabilities, logLevel, subscribed: [...subscribed] };
}

/** Restores a state that another process stored. */
export function applyConnectionState(connection: Connection, state: ConnectionState): void {
  const { version, capabilities, logLevel, subscribed } = state;
  connection.version = version;
  connection.capabilities = capabilities;
  connection.logLevel = logLevel;
  const { roots } = capabilities;
  connection.roots.announcesChanges = isPlainObject(roots) && roots['listChanged'] === true;
  connection.subscribed.clear();
  for (const uri of subscribed) connection.subscribed.add(uri);
}

/** Parses a stored state; `undefined` if it is invalid. */
export function parseConnectionState(value: unknown): ConnectionState | undefined {
  if (!isPlainObject(value)) return undefined;
  const { version, capabilities, logLevel, subscribed } = value;
  if (typeof version !== 'string' || version === '') return undefined;
  return {
    version,
    capabilities: isPlainObject(capabilities) ? capabilities : {},
    logLevel: parseLogLevel(logLevel),
    subscribed: Array.isArray(subscribed) ? subscribed.filter((uri): uri is string => typeof uri === 'string') : [],
  };
}
