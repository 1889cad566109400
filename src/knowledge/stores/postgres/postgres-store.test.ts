import { afterAll, beforeAll } from 'vitest';
import { describeStore } from '../store-contract.test-helper.ts';
import { startPglite } from './pglite-server.test-helper.ts';
import { openPostgresStore } from './postgres-store.ts';

let server: Awaited<ReturnType<typeof startPglite>>;
beforeAll(async () => {
  server = await startPglite();
});
afterAll(() => server.close());

describeStore('postgres with pgvector', {
  async open() {
    const store = openPostgresStore({ url: server.url, maxConnections: 1 });
    for (const { name } of await store.collections()) await store.dropCollection(name);
    return store;
  },
});
