import { ToolError } from '../../tool/tool-error.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-board-store.ts';
import type { SqlDatabase, SqlRow, SqlValue } from './sql-database.ts';

/** Number of rows copied at once. */
const PAGE = 200;

/** The tables to copy, with the columns that order their rows. Leases and signals are temporary. */
const TABLES = [
  {
    name: 'records',
    order: ['space', 'key'],
    columns: ['space', 'key', 'value', 'changed', 'expires', 'owner', 'size'],
  },
  { name: 'pieces', order: ['id', 'piece'], columns: ['id', 'piece', 'bytes', 'expires'] },
  {
    name: 'journal',
    order: ['number'],
    columns: ['at', 'type', 'call', 'parent', 'tool', 'caller', 'outcome', 'body', 'chain', 'place', 'seal'],
  },
] as const;

export interface CopyStoreOptions {
  /** A data folder, or a PostgreSQL address. */
  readonly from: string;
  readonly to: string;
  readonly signal?: AbortSignal | undefined;
  /** Called after each page with the number of rows copied so far. */
  readonly onProgress?: ((copied: number) => void) | undefined;
}

/** Copies a store to an empty one and returns the number of rows. Throws `already_exists` when the target is not empty. */
export async function copyStore({ from, to, signal, onProgress }: CopyStoreOptions): Promise<number> {
  const [source, target] = [openDatabase(from), openDatabase(to)];
  try {
    await migrate(source);
    await migrate(target);
    for (const { name } of TABLES) {
      const rows = await target.run(`select 1 from ${target.dialect.schema}.${name} limit 1`);
      if (rows.length === 0) continue;
      const message = `The store ${target.address} is not empty. Copy to one that is, so that nothing in it is lost.`;
      throw new ToolError({ code: 'already_exists', message });
    }
    let copied = 0;
    for (const table of TABLES) {
      for await (const rows of pages(source, table)) {
        signal?.throwIfAborted();
        await insert(target, table, rows);
        copied += rows.length;
        onProgress?.(copied);
      }
    }
    return copied;
  } finally {
    await source.close();
    await target.close();
  }
}

type Table = (typeof TABLES)[number];

async function* pages({ run, dialect }: SqlDatabase, { name, order, columns }: Table): AsyncGenerator<SqlRow[]> {
  const wanted = [...new Set<string>([...order, ...columns])].join(', ');
  const by = order.join(', ');
  let last: SqlValue[] = [];
  for (;;) {
    const after = last.length === 0 ? '' : `where (${by}) > (${last.map((_, index) => `$${index + 1}`).join(', ')})`;
    const rows = await run(
      `select ${wanted} from ${dialect.schema}.${name} ${after} order by ${by} limit ${PAGE}`,
      last,
    );
    if (rows.length > 0) yield rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE) return;
    last = order.map((column) => toValue(end[column]));
  }
}

async function insert(target: SqlDatabase, { name, columns }: Table, rows: readonly SqlRow[]): Promise<void> {
  const tuples = rows.map(
    (_, row) => `(${columns.map((__, column) => `$${row * columns.length + column + 1}`).join(', ')})`,
  );
  const values = rows.flatMap((row) => columns.map((column) => toValue(row[column])));
  await target.transaction((run) =>
    run(`insert into ${target.dialect.schema}.${name} (${columns.join(', ')}) values ${tuples.join(', ')}`, values),
  );
}

function toValue(value: unknown): SqlValue {
  // The tables contain only these types.
  return (value ?? null) as SqlValue;
}
