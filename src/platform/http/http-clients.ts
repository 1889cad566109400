import { createEgressPolicy } from './egress.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';

/** The clients of one owner: one for all requests that may reach the same private hosts. */
export interface HttpClients {
  /** The client for requests that may reach these, besides those that every request may. */
  get(allowHosts: readonly string[]): HttpClient;
  /** Closes connections once their requests are over; later requests open new ones. */
  rest(): Promise<void>;
  /** As `rest`, for good. */
  close(): Promise<void>;
}

/** Makes clients whose requests may all reach `always`. */
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

/** `host:port` of an address in the config, which requests may reach even where it is private. */
export function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}
