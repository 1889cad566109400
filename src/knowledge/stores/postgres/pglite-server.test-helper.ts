import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** Starts a PostgreSQL engine with pgvector in this process, reached over the wire protocol. Its connections take turns. */
export async function startPglite(maxConnections = 1): Promise<{ url: string; close(): Promise<void> }> {
  const database = await PGlite.create({ extensions: { vector } });
  const server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port: 0, maxConnections });
  await server.start();
  return {
    url: `postgresql://postgres:postgres@${server.getServerConn()}/postgres?sslmode=disable`,
    async close() {
      await server.stop();
      await database.close();
    },
  };
}
