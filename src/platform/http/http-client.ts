import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { ToolError } from '../../tool/tool-error.ts';
import { parseIpAddress } from './ip-address.ts';
import { createEgressPolicy, type EgressPolicy } from './egress.ts';

export interface HttpClientOptions {
  readonly egress: EgressPolicy;
  /** Milliseconds to wait for a connection. Default: 10,000. */
  readonly connectTimeout?: number;
  /** Maximum number of connections per origin. Default: 64. */
  readonly maxConnections?: number;
  /** Resolves host names. Default: the system's resolver. */
  readonly lookup?: LookupFunction;
}

/** Keeps connections open between requests and checks each against one egress policy. */
export interface HttpClient {
  readonly egress: EgressPolicy;
  /** Returns the dispatcher for requests. The first call loads undici. */
  connect(): Promise<Dispatcher>;
  /** Waits for requests in flight, then closes all connections. The next request opens new ones. */
  rest(): Promise<void>;
  /** Works like `rest` and refuses further requests. Safe to call again. */
  close(): Promise<void>;
}

type Connector = buildConnector.connector;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  let agent: Promise<Dispatcher> | undefined;
  let closing: Promise<void> | undefined;
  const connect = async (): Promise<Dispatcher> => {
    if (closing !== undefined) {
      const message = 'The request was not sent: its HTTP client is closed. Call the tool on the current board.';
      throw new ToolError({ code: 'cancelled', message });
    }
    agent ??= createAgent(options);
    return agent;
  };
  const rest = async (): Promise<void> => {
    const open = agent;
    agent = undefined;
    await (await open)?.close();
  };
  return { egress: options.egress, connect, rest, close: () => (closing ??= rest()) };
}

async function createAgent({
  egress,
  connectTimeout = 10_000,
  maxConnections = 64,
  lookup = systemLookup,
}: HttpClientOptions): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import('undici');
  const connectors = new Map<number, Connector>();
  // Resolvers do not receive the port, which the policy may need, so each port has its own connector.
  const connectorFor = (port: number): Connector => {
    const known = connectors.get(port);
    if (known !== undefined) return known;
    const guarded = createGuardedLookup(lookup, (address, hostname) =>
      egress.checkAddress(address, { hostname, port }),
    );
    const connector = buildConnector({ timeout: connectTimeout, lookup: guarded, port });
    connectors.set(port, connector);
    return connector;
  };
  return new Agent({
    connections: maxConnections,
    connect: (target, callback) => {
      const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
      const { hostname } = target;
      // Literal addresses are not resolved. Checking them here reveals nothing about which hosts exist.
      const early = parseIpAddress(hostname) && egress.checkAddress(hostname, { hostname, port });
      if (early !== undefined) return callback(early, null);
      connectorFor(port)(target, (...result) => {
        const [error, socket] = result;
        if (error !== null) return callback(error, null);
        // The final check covers the address actually connected to, however the name was written or resolved.
        const refusal = egress.checkAddress(socket.remoteAddress ?? '', { hostname, port });
        if (refusal === undefined) return callback(null, socket);
        socket.destroy();
        return callback(refusal, null);
      });
    },
  });
}

/** Returns the reason why an address of a host must not be used. */
type CheckAddress = (address: string, hostname: string) => Error | undefined;

/**
 * Wraps a resolver so that it returns only allowed addresses.
 *
 * Connections use exactly these addresses, so a name that resolves differently a moment later (DNS rebinding) gains
 * nothing.
 */
function createGuardedLookup(lookup: LookupFunction, check: CheckAddress): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const addresses: readonly LookupAddress[] =
        typeof found === 'string' ? [{ address: found, family: found.includes(':') ? 6 : 4 }] : found;
      const refusals = addresses.map(({ address }) => check(address, hostname));
      const usable = addresses.filter((_, index) => refusals[index] === undefined);
      const [first] = usable;
      if (first === undefined) {
        const unknown = Object.assign(new Error(`No address for ${hostname}`), { code: 'ENOTFOUND' });
        return callback(refusals[0] ?? unknown, '');
      }
      if (options.all === true) return callback(null, usable);
      return callback(null, first.address, first.family);
    });
  };
}

/** The clients of one owner: one for all requests that may reach the same private hosts. */
export interface HttpClients {
  /** Returns the client for requests that may reach these hosts in addition to those that all requests may reach. */
  get(allowHosts: readonly string[]): HttpClient;
  /** Closes connections when their requests have ended; later requests open new ones. */
  rest(): Promise<void>;
  /** Works like `rest` and refuses further requests. */
  close(): Promise<void>;
}

/** Creates clients whose requests may all reach `always`. */
export function createHttpClients(always: readonly string[]): HttpClients {
  const clients = new Map<string, HttpClient>();
  const each = async (work: (client: HttpClient) => Promise<void>): Promise<void> => {
    await Promise.all([...clients.values()].map(work));
  };
  return {
    get: (named) => {
      const allow = [...always, ...named];
      const key = allow.toSorted().join(' ');
      let client = clients.get(key);
      if (client === undefined)
        clients.set(key, (client = createHttpClient({ egress: createEgressPolicy({ allow }) })));
      return client;
    },
    rest: () => each((client) => client.rest()),
    close: () => each((client) => client.close()),
  };
}

/** Returns `host:port` of a URL in the config, which requests may reach even if it is private. */
export function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}
