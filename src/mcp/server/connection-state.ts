import { isPlainObject } from '../../tool/json.ts';
import type { ClientCapabilities, Connection } from './connection.ts';
import { type LogLevel, parseLogLevel } from '../protocol/mcp-names.ts';

/** The outcome of a handshake with later changes: everything that another process needs to continue a session. */
export interface ConnectionState {
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LogLevel | undefined;
  /** Resources whose changes the client wants to hear of. */
  readonly subscribed: readonly string[];
}

/** The state of a connection that has shaken hands. */
export function readConnectionState(connection: Connection): ConnectionState {
  const { version = '', capabilities, logLevel, subscribed } = connection;
  return { version, capabilities, logLevel, subscribed: [...subscribed] };
}

/** Gives a connection the state that another process knows of. */
export function applyConnectionState(connection: Connection, state: ConnectionState): void {
  const { version, capabilities, logLevel, subscribed } = state;
  connection.version = version;
  connection.capabilities = capabilities;
  connection.logLevel = logLevel;
  const { roots } = capabilities;
  connection.roots.isTold = isPlainObject(roots) && roots['listChanged'] === true;
  connection.subscribed.clear();
  for (const uri of subscribed) connection.subscribed.add(uri);
}

/** A state as another process wrote it; `undefined` where it makes no sense. */
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
