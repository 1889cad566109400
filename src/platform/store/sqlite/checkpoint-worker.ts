// The thread that copies what was written lately from the log of a SQLite file into the file itself.
import { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';

/** Milliseconds to wait for those who read and write the file; with more, the next checkpoint does it. */
const PATIENCE = 200;

parentPort?.on('message', (file: string) => {
  try {
    const database = new DatabaseSync(file, { timeout: PATIENCE });
    // Most of it is copied while others write; they have to wait for the rest alone.
    database.exec('pragma wal_checkpoint(passive); pragma wal_checkpoint(truncate)');
    database.close();
  } catch {
    // Others hold the file, or the disk is full: writers of the file copy it themselves when the log has grown further.
  }
  parentPort?.postMessage(file);
});
