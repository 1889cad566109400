import { ToolError } from '../../tool/tool-error.ts';
import type { Sql, SqlDatabase, SqlDialect } from './sql-database.ts';

/** A step from one version of the tables to the next. */
interface Migration {
  readonly version: number;
  /** The oldest table version whose programs still work with these tables. */
  readonly readableFrom: number;
  readonly statements: (dialect: SqlDialect) => readonly string[];
}

/** The steps; the first creates all tables. A published step never changes: later steps correct it. */
const MIGRATIONS: readonly Migration[] = [
  {
    version: 2,
    readableFrom: 2,
    statements: ({ schema, clustered, serial, bytes, byBytes }) => [
      `create table ${schema}.records (
        space text not null, key text not null, value text not null, changed bigint not null, expires bigint,
        owner text, size bigint, primary key (space, key))${clustered}`,
      `create index ${index(schema, 'records_expiry')} on ${table(schema, 'records')} (expires) where expires is not null`,
      `create table ${schema}.journal (
        number ${serial}, at bigint not null, type text not null, call text not null, parent text, tool text,
        caller text, outcome text, body text not null, chain text, place bigint, seal text)`,
      `create index ${index(schema, 'journal_call')} on ${table(schema, 'journal')} (call)`,
      `create index ${index(schema, 'journal_tool')} on ${table(schema, 'journal')} (tool, number)`,
      // Most lines record successful calls of the board's user: scanning the newest lines is faster than an index of those.
      `create index ${index(schema, 'journal_caller')} on ${table(schema, 'journal')} (caller, number) where caller <> ''`,
      `create index ${index(schema, 'journal_outcome')} on ${table(schema, 'journal')} (outcome, number) where outcome <> 'ok'`,
      `create index ${index(schema, 'journal_parent')} on ${table(schema, 'journal')} (parent) where parent is not null`,
      `create index ${index(schema, 'journal_chain')} on ${table(schema, 'journal')} (chain, place) where chain is not null`,
      `create table ${schema}.pieces (
        id text not null, piece bigint not null, bytes ${bytes} not null, expires bigint, primary key (id, piece))`,
      `create index ${index(schema, 'pieces_expiry')} on ${table(schema, 'pieces')} (expires) where expires is not null`,
      `create table ${schema}.leases (
        name text primary key, holder text not null, token bigint not null, expires bigint not null, process text not null)`,
      `create table ${schema}.signals (channel text primary key, version bigint not null)`,
      // Covers counting without reading the records, which may be large.
      `create index ${index(schema, 'records_owner')} on ${table(schema, 'records')} (space, owner, expires, size, changed) where owner is not null`,
      // Without bytewise comparison, the primary key cannot find prefixes.
      ...(byBytes === ''
        ? []
        : [`create index ${index(schema, 'records_prefix')} on ${table(schema, 'records')} (space, (key${byBytes}))`]),
    ],
  },
];

/** The version of the tables that this program writes. */
const STORE_VERSION = Math.max(...MIGRATIONS.map(({ version }) => version));

/** Updates the tables to this program's version. Returns their version, which may be later. */
export async function migrate(database: SqlDatabase): Promise<number> {
  const { dialect } = database;
  const versions = `${dialect.schema}.store_versions`;
  const known = await readVersion(database.run, versions).catch(() => NONE);
  if (known.version >= STORE_VERSION) return checkReadable(known, database);
  return database.change(async (run) => {
    await run(`create table if not exists ${versions} (version bigint primary key, readable_from bigint not null)`);
    const last = await readVersion(run, versions);
    if (last.version === 1) throw tooOld(database);
    for (const { version, readableFrom, statements } of MIGRATIONS) {
      if (version <= last.version) continue;
      for (const statement of statements(dialect)) await run(statement);
      await run(`insert into ${versions} values ($1, $2)`, [version, readableFrom]);
    }
    return checkReadable(await readVersion(run, versions), database);
  });
}

/** The version of tables, and the oldest version whose programs work with them. */
interface TableVersion {
  readonly version: number;
  readonly readableFrom: number;
}

const NONE: TableVersion = { version: 0, readableFrom: 0 };

function checkReadable({ version, readableFrom }: TableVersion, { address }: SqlDatabase): number {
  if (readableFrom <= STORE_VERSION) return version;
  const message = `The board's store ${address} was written by a newer Pegboard (tables of version ${version}, this one knows ${STORE_VERSION}). Update Pegboard, or give this board another store.`;
  throw new ToolError({ code: 'invalid_config', message });
}

function tooOld({ address }: SqlDatabase): ToolError {
  const message = `The board's store ${address} was written by an earlier Pegboard (tables of version 1). Give this board another store, or delete that one.`;
  return new ToolError({ code: 'invalid_config', message });
}

async function readVersion(run: Sql, versions: string): Promise<TableVersion> {
  const [row] = await run(`select version, readable_from from ${versions} order by version desc limit 1`);
  return { version: Number(row?.['version'] ?? 0), readableFrom: Number(row?.['readable_from'] ?? 0) };
}

/** SQLite puts the schema before the name of an index, PostgreSQL before the name of its table. */
function index(schema: string, name: string): string {
  return schema === 'main' ? `main.${name}` : name;
}

function table(schema: string, name: string): string {
  return schema === 'main' ? name : `${schema}.${name}`;
}
