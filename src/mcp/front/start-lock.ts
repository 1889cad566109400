import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Takes the lock under which a board is started, or returns `undefined` while another process has it.
 *
 * The lock is one of SQLite on an empty database: the system releases it however its process ends.
 */
export function takeStartLock(folder: string, id: string): (() => void) | undefined {
  const database = new DatabaseSync(join(folder, `${id}.lock`), { timeout: 0 });
  try {
    // A killed process must leave no journal behind.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined;
    throw error;
  }
}
