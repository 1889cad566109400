import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findPort, startPostgres } from '../../src/platform/postgres/test-server.test-helper.ts';
import { PostgresServer } from '../../src/platform/postgres/postgres-server.ts';
import { hasOwnPgvector, PGVECTOR_ROOT } from './parts.ts';

/** A PostgreSQL server with pgvector for one run of the tests. */
export interface VectorServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Ends the server and removes its data when the pipe of its input closes: also when the process that started it is killed. */
const WATCHED = `"$@" & server=$!; cat >/dev/null; kill -INT "$server"; wait "$server"; rm -rf "$DATA_FOLDER"`;

/** Starts a server from the root folder that the set-up made, or from the machine's own packages; `undefined` where neither has pgvector. */
export async function startVectorServer(): Promise<VectorServer | undefined> {
  if (hasOwnPgvector()) return startPostgres();
  // Only root may change the root folder of a process.
  if (!existsSync(PGVECTOR_ROOT) || process.getuid?.() !== 0) return undefined;
  const port = await findPort();
  const data = `tests-${process.pid}`;
  const script = join(import.meta.dirname, '../postgres-with-pgvector.sh');
  const child = spawn('sh', ['-c', WATCHED, '_', 'sh', script, PGVECTOR_ROOT, String(port)], {
    env: { ...process.env, POSTGRES_DATA: data, DATA_FOLDER: join(PGVECTOR_ROOT, 'var/lib/postgresql', data) },
    // Out of reach of Ctrl-C, which would end the server before the tests.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const server: VectorServer = {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
  if (await answers(server.url)) return server;
  await server.close();
  return undefined;
}

/** True once the server answers; false when it does not within a minute. */
async function answers(url: string): Promise<boolean> {
  const client = new PostgresServer({ url, maxConnections: 1, neededFor: 'The tests', setting: 'url' });
  try {
    for (let tries = 0; tries < 300; tries++) {
      const rows = await client.run((query) => query('select 1 as one')).catch(() => []);
      if (rows.length > 0) return true;
      await wait(200);
    }
    return false;
  } finally {
    await client.close();
  }
}
