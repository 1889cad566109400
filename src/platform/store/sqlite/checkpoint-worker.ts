// The thread that copies recent writes from the log of an SQLite file to the file itself.
import { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';

/** Milliseconds to wait for readers and writers of the file. After that, the next checkpoint tries again. */
const PATIENCE = 200;

parentPort?.on('message', (file: string) => {
  try {
    const database = new DatabaseSync(file, { timeout: PATIENCE });
    // Most of the log is copied while others write; they wait only for the rest.
    database.exec('pragma wal_checkpoint(passive); pragma wal_checkpoint(truncate)');
    database.close();
  } catch {
    // Others hold the file, or the disk is full: writers copy the log themselves when it has grown further.
  }
  parentPort?.postMessage(file);
});
