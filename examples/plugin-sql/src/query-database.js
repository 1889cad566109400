import { DatabaseSync } from 'node:sqlite';
import { ToolError } from 'pegboard';

/** @typedef {import('./sql.js').SqlSettings} SqlSettings */

/**
 * Runs the query of an entry. The database is opened for the call alone, so nothing is left open by a reload.
 *
 * @param {SqlSettings} settings
 * @param {Readonly<Record<string, unknown>>} input
 * @returns {{ rows: Record<string, unknown>[], hasMore: boolean, changes?: number }}
 */
export function queryDatabase(settings, input) {
  return useDatabase(settings, (database) => {
    const statement = database.prepare(settings.query);
    statement.setReadBigInts(true);
    const values = Object.fromEntries(Object.keys(settings.params).map((name) => [name, toValue(input[name])]));
    /** @type {Record<string, unknown>[]} */
    const rows = [];
    let hasMore = false;
    for (const row of statement.iterate(values)) {
      hasMore = rows.length === settings.rows;
      // A change has to be carried out to its end, however many rows it gives back.
      if (hasMore && !settings.isWriting) break;
      if (!hasMore) rows.push(toJson(row));
    }
    if (!settings.isWriting) return { rows, hasMore };
    return { rows, hasMore, changes: Number(database.prepare('SELECT changes() AS n').get()?.['n']) };
  });
}

/**
 * Checks that the query can run, without running it.
 *
 * @param {SqlSettings} settings
 * @returns {string | undefined} What keeps it from running.
 */
export function tryQuery(settings) {
  try {
    useDatabase({ ...settings, isWriting: false }, (database) => database.prepare(settings.query));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * @template T
 * @param {SqlSettings} settings
 * @param {(database: DatabaseSync) => T} work
 * @returns {T}
 */
function useDatabase({ database: file, isWriting }, work) {
  try {
    const database = new DatabaseSync(file, { readOnly: !isWriting });
    try {
      return work(database);
    } finally {
      database.close();
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolError({ code: 'execution_failed', message: `The database says: ${reason}.`, cause });
  }
}

/**
 * @param {unknown} value
 * @returns {import('node:sqlite').SQLInputValue}
 */
function toValue(value) {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/**
 * A row as JSON can carry it: large integers as text, bytes in base64.
 *
 * @param {Record<string, unknown>} row
 * @returns {Record<string, unknown>}
 */
function toJson(row) {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toJsonValue(value)]));
}

/** @param {unknown} value */
function toJsonValue(value) {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
