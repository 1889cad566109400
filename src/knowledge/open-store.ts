import type { PlannedServer } from './knowledge-plan.ts';
import { storeFile, type StoreHost, USUAL_URLS } from './store-place.ts';
import type { VectorStore } from './vector-store.ts';

/** Opens the store a server's settings describe; its driver is loaded at that moment. */
export async function openStore(server: PlannedServer, host: StoreHost): Promise<VectorStore> {
  switch (server.driver) {
    case 'memory':
      return (await import('./stores/memory-store.ts')).createMemoryStore();
    case 'sqlite': {
      const { openSqliteStore } = await import('./stores/sqlite/sqlite-store.ts');
      return openSqliteStore({ file: storeFile(server, host) });
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./stores/postgres/postgres-store.ts');
      const { schema, prefix } = server;
      return openPostgresStore({
        url: withPassword(server, USUAL_URLS.postgres),
        ...(schema === undefined ? {} : { schema }),
        ...(prefix === undefined ? {} : { prefix }),
      });
    }
    case 'qdrant': {
      const { openQdrantStore } = await import('./stores/qdrant/qdrant-store.ts');
      return openQdrantStore({ url: server.url ?? USUAL_URLS.qdrant, apiKey: server.apiKey });
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
