import { join, resolve } from 'node:path';
import type { PlannedServer } from './knowledge-plan.ts';

/** Where stores of this machine are. */
export interface StoreHost {
  /** The folder for what is kept between runs; without it the embedded store is kept in memory. */
  readonly data: string | undefined;
  /** Where relative files start. */
  readonly base: string;
}

/** Where each server is unless its settings say otherwise. */
export const USUAL_URLS = { postgres: 'postgresql://localhost/postgres', qdrant: 'http://localhost:6333' } as const;

/** The file of a SQLite store; `:memory:` where nothing is kept. */
export function storeFile({ url }: Pick<PlannedServer, 'url'>, { data, base }: StoreHost): string {
  const file = url ?? (data === undefined ? ':memory:' : join(data, 'knowledge.db'));
  return file === ':memory:' ? file : resolve(base, file);
}

/** Where a server keeps things, for people: a file or an address, never a name or a password. */
export function storePlace(server: PlannedServer, host: StoreHost): string {
  if (server.driver === 'memory') return ':memory:';
  if (server.driver === 'sqlite') return storeFile(server, host);
  const address = URL.parse(server.url ?? USUAL_URLS[server.driver]);
  return address === null ? server.driver : `${address.host}${address.pathname.replace(/\/$/, '')}`;
}
