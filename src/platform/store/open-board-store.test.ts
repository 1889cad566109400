import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { boardStoreContract } from '../../testing/contracts/board-store-contract.ts';
import { testContract } from '../../testing/contracts/test-contract.test-helper.ts';
import { startPostgres, type TestServer } from '../postgres/test-server.test-helper.ts';
import { openBoardStore } from './open-board-store.ts';
import { PostgresDatabase } from './postgres/postgres-database.ts';
import { SqlStore } from './sql-store.ts';
import { needs } from '../../../test/needs.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a store in SQLite', () => {
  testContract(boardStoreContract({ open: (place) => openBoardStore({ folder: join(folder, place) }) }));
});

describe('a store in PostgreSQL', needs('postgresql'), () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());
  testContract(
    boardStoreContract({
      open: (place) => new SqlStore(new PostgresDatabase({ url: `${server.url}?schema=${place}`, maxConnections: 4 })),
    }),
  );
});
