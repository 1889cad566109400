import { join, resolve } from 'node:path';
import type { PlannedServer } from './knowledge-plan.ts';
import type { VectorStore } from './vector-store.ts';

/** Where stores of this machine are. */
export interface StoreHost {
  /** The folder for what is kept between runs; without it the embedded store is kept in memory. */
  readonly data: string | undefined;
  /** Where relative files start. */
  readonly base: string;
}

/** Opens the store a server's settings describe; its driver is loaded at that moment. */
export async function openStore(server: PlannedServer, { data, base }: StoreHost): Promise<VectorStore> {
  switch (server.driver) {
    case 'memory':
      return (await import('./stores/memory-store.ts')).createMemoryStore();
    case 'sqlite': {
      const { openSqliteStore } = await import('./stores/sqlite/sqlite-store.ts');
      const file = server.url ?? (data === undefined ? ':memory:' : join(data, 'knowledge.db'));
      return openSqliteStore({ file: file === ':memory:' ? file : resolve(base, file) });
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./stores/postgres/postgres-store.ts');
      const { schema, prefix } = server;
      return openPostgresStore({
        url: withPassword(server, 'postgresql://localhost/postgres'),
        ...(schema === undefined ? {} : { schema }),
        ...(prefix === undefined ? {} : { prefix }),
      });
    }
    case 'qdrant': {
      const { openQdrantStore } = await import('./stores/qdrant/qdrant-store.ts');
      return openQdrantStore({ url: server.url ?? 'http://localhost:6333', apiKey: server.apiKey });
    }
  }
}

/** A key is the password of a connection string that has none. */
function withPassword({ url, apiKey }: PlannedServer, usual: string): string {
  const parsed = URL.parse(url ?? usual);
  if (parsed === null || apiKey === undefined || parsed.password !== '') return url ?? usual;
  parsed.password = apiKey;
  return parsed.href;
}
