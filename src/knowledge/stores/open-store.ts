import type { PlannedServer } from '../plan/knowledge-plan.ts';
import type { VectorStore } from '../vector-store.ts';
import { join, resolve } from 'node:path';

const USUAL_URLS = { postgres: 'postgresql://localhost/postgres', qdrant: 'http://localhost:6333' } as const;

export interface StoreFolders {
  /** The folder for persistent data. Default: the embedded store is in memory. */
  readonly data: string | undefined;
  /** The folder that relative paths start from. */
  readonly base: string;
}

/** Opens the store that a server's settings describe, and loads its driver. */
export async function openStore(server: PlannedServer, folders: StoreFolders): Promise<VectorStore> {
  const { open, name, url, apiKey, schema: ownSchema, prefix: ownPrefix } = server;
  if (open !== undefined) return open({ name, url, apiKey, schema: ownSchema, prefix: ownPrefix, ...folders });
  switch (server.driver) {
    case 'memory':
      return (await import('./sqlite/sqlite-store.ts')).createMemoryStore();
    case 'sqlite': {
      const { openSqliteStore } = await import('./sqlite/sqlite-store.ts');
      return openSqliteStore({ file: storeFile(server, folders) });
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./postgres/postgres-store.ts');
      const { schema, prefix } = server;
      return openPostgresStore({
        url: withPassword(server, USUAL_URLS.postgres),
        ...(schema === undefined ? {} : { schema }),
        ...(prefix === undefined ? {} : { prefix }),
      });
    }
    case 'qdrant': {
      const { openQdrantStore } = await import('./qdrant/qdrant-store.ts');
      return openQdrantStore({ url: server.url ?? USUAL_URLS.qdrant, apiKey: server.apiKey });
    }
    default:
      throw new TypeError(`There is no driver "${server.driver}".`);
  }
}

/** Uses the API key as the password of a connection string without one. */
function withPassword({ url, apiKey }: PlannedServer, usual: string): string {
  const parsed = URL.parse(url ?? usual);
  if (parsed === null || apiKey === undefined || parsed.password !== '') return url ?? usual;
  parsed.password = apiKey;
  return parsed.href;
}

/** Returns the file of a SQLite store, or `:memory:` if nothing is persistent. */
function storeFile({ url }: Pick<PlannedServer, 'url'>, { data, base }: StoreFolders): string {
  const file = url ?? (data === undefined ? ':memory:' : join(data, 'knowledge.db'));
  return file === ':memory:' ? file : resolve(base, file);
}

/** Returns the location of a server's data for people: a file or an address, never a user name or a password. */
export function storePlace(server: PlannedServer, folders: StoreFolders): string {
  if (server.driver === 'memory') return ':memory:';
  if (server.driver === 'sqlite') return storeFile(server, folders);
  const usual = Object.entries(USUAL_URLS).find(([driver]) => driver === server.driver)?.[1] ?? '';
  const address = URL.parse(server.url ?? usual);
  return address === null ? server.driver : `${address.host}${address.pathname.replace(/\/$/, '')}`;
}
