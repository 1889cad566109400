import { createHash, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { ToolError } from '../../../tool/tool-error.ts';
import { loadPeer } from '../../peers/load-peer.ts';
import { PostgresServer, type Query } from '../../postgres/postgres-server.ts';
import {
  type SignalListener,
  SignalReader,
  type Sql,
  type SqlColumn,
  type SqlDatabase,
  type SqlDialect,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
  type TransactionOptions,
} from '../sql-database.ts';

/** Milliseconds between two checks for signals: as a fallback, and when the server sends no notifications. */
const POLL = 2_000;
const POLL_WITHOUT_LISTEN = 200;
/** Milliseconds within which a test notification must return, or the server is assumed to send none. */
const PROOF = 3_000;
const RECONNECT = 1_000;
/** Milliseconds until signals are written to rows. */
const NOTE_AFTER = 100;
/** Checks without a notification until all listeners are called: a process may be killed after a write and before it noted the signal. */
const LOOKS_UNTIL_ALL = 25;
/** Rows per statement. */
const ROWS_AT_ONCE = 1_000;
/** Error codes for an object that already exists. */
const MADE_MEANWHILE = new Set(['23505', '42P06', '42P07']);
const CHANGE_ATTEMPTS = 5;
/** Milliseconds after which an unanswered statement is abandoned, so that a hanging server does not block all connections. */
const PATIENCE = 60_000;

interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; `?schema=` names the schema of the tables. Default: pegboard. */
  readonly url: string;
  readonly maxConnections?: number | undefined;
  /** Milliseconds to wait for the result of a statement. Default: 60,000. */
  readonly patience?: number | undefined;
}

/** A PostgreSQL database that processes on several machines share. Needs the package `pg`. */
export class PostgresDatabase implements SqlDatabase {
  readonly dialect: SqlDialect;
  readonly #url: string;
  readonly #server: PostgresServer;
  readonly #schema: string;
  readonly #channel: string;
  readonly #stops = new Set<() => void>();
  /** Signals that are not yet written to rows. */
  readonly #toNote = new Set<string>();
  #noting: NodeJS.Timeout | undefined;

  constructor({ url, maxConnections = 10, patience = PATIENCE }: PostgresOptions) {
    const parsed = parseUrl(url);
    this.#schema = parsed.schema;
    this.#url = parsed.url;
    // Channel names are truncated at 63 bytes.
    this.#channel = `pegboard_${createHash('sha256').update(this.#schema).digest('hex').slice(0, 16)}`;
    this.#server = new PostgresServer({
      url: this.#url,
      maxConnections,
      patience,
      neededFor: 'A store on PostgreSQL',
      setting: 'store',
    });
    this.dialect = {
      driver: 'postgres',
      schema: `"${this.#schema}"`,
      // The server's clock: those of client machines may differ.
      now: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
      serial: 'bigint generated always as identity primary key',
      bytes: 'bytea',
      forUpdate: ' for update',
      byBytes: ' collate "C"',
      clustered: '',
      insert: insertRows,
      contains: (text, part) => `position(${part} in ${text}) > 0`,
    };
  }

  get address(): string {
    const schema = this.#schema === 'pegboard' ? '' : `?schema=${this.#schema}`;
    return `postgres://${this.#server.name}${schema}`;
  }

  readonly run: Sql = (statement, values) => this.#server.run((query) => query(statement, bind(values)));

  transaction<T>(
    work: (run: Sql) => Promise<T>,
    { durable = true, isAppend = false }: TransactionOptions = {},
  ): Promise<T> {
    return this.#server.transaction((query) => work(toSql(query)), {
      isolation: isAppend ? 'read committed' : 'serializable',
      isRepeatable: false,
      isDurable: durable,
      turn: isAppend ? undefined : `lock table ${this.dialect.schema}.signals in share row exclusive mode`,
    });
  }

  async change<T>(work: (run: Sql) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#server.transaction(async (query) => {
          await query('select pg_advisory_xact_lock(hashtext($1))', [this.#channel]);
          await query(`create schema if not exists ${this.dialect.schema}`);
          return work(toSql(query));
        });
      } catch (error) {
        // A connection may not yet see a schema or table that another one has just created.
        const isMade = error instanceof Error && 'code' in error && MADE_MEANWHILE.has(String(error.code));
        if (!isMade || attempt === CHANGE_ATTEMPTS) throw error;
      }
    }
  }

  listen(listener: SignalListener): () => void {
    const stop = new AbortController();
    const end = (): void => {
      stop.abort();
      this.#stops.delete(end);
    };
    this.#stops.add(end);
    const poll = this.#poll(listener, stop.signal);
    void this.#follow(listener, { signal: stop.signal, onSilence: poll.hurry });
    return end;
  }

  // Writes no row: concurrent transactions with the same signal would conflict.
  async announce(run: Sql, channel: string): Promise<void> {
    await run('select pg_notify($1, $2)', [this.#channel, channel]);
  }

  /** Writes a signal to a row for processes that receive no notifications. Combines signals of one moment. */
  announced(channel: string): void {
    this.#toNote.add(channel);
    this.#noting ??= setTimeout(() => void this.#note(), NOTE_AFTER).unref();
  }

  async size(): Promise<number> {
    const [row] = await this.run(
      `select sum(pg_total_relation_size(c.oid)) as size from pg_class c
        join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r'`,
      [this.#schema],
    );
    return Number(row?.['size'] ?? 0);
  }

  async vacuum(): Promise<void> {
    for (const table of ['records', 'journal', 'pieces'])
      await this.#server.runAlone(`vacuum (analyze) ${this.dialect.schema}.${table}`, new AbortController().signal);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    if (this.#noting !== undefined) await this.#note();
    await this.#server.close();
  }

  async #note(): Promise<void> {
    clearTimeout(this.#noting);
    this.#noting = undefined;
    const channels = [...this.#toNote].toSorted();
    this.#toNote.clear();
    const statement = `insert into ${this.dialect.schema}.signals as old (channel, version)
      select *, 1 from unnest($1::text[]) on conflict (channel) do update set version = old.version + 1`;
    // If lost, processes without notifications are a few seconds late.
    await this.#server.run((query) => query(statement, [channels])).catch(() => undefined);
  }

  /** Checks the signals periodically. */
  #poll(listener: SignalListener, signal: AbortSignal): { hurry: () => void } {
    const notify: SignalListener = (channel) => {
      if (!signal.aborted) listener(channel);
    };
    const signals = new SignalReader(notify);
    let pause = POLL;
    let looks = 0;
    let timer: NodeJS.Timeout;
    const look = async (): Promise<void> => {
      try {
        signals.read(await this.run(`select channel, version from ${this.dialect.schema}.signals`));
        looks = (looks + 1) % LOOKS_UNTIL_ALL;
        if (looks === 0) notify(undefined);
      } catch {
        // The server is unreachable or has no tables yet.
        signals.fail();
      }
      if (!signal.aborted) timer = setTimeout(() => void look(), pause).unref();
    };
    signal.addEventListener('abort', () => clearTimeout(timer));
    void look();
    return { hurry: () => (pause = POLL_WITHOUT_LISTEN) };
  }

  /** Receives notifications over its own connection and reconnects when it is lost. */
  async #follow(
    listener: SignalListener,
    { signal, onSilence }: { readonly signal: AbortSignal; readonly onSilence: () => void },
  ): Promise<void> {
    // The module has the type of `import 'pg'`.
    const pg = loadPeer('pg', 'A store on PostgreSQL') as typeof import('pg');
    let isFirst = true;
    while (!signal.aborted) {
      const client: Client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: 5_000 });
      const ended = new Promise<void>((resolve) => {
        client.once('end', resolve);
        client.once('error', () => resolve());
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      const proof = randomUUID();
      let isProven = false;
      client.on('notification', ({ payload }) => {
        if (payload === proof) isProven = true;
        else if (payload !== undefined && !signal.aborted) listener(payload);
      });
      try {
        await client.connect();
        // A connection that only listens must not keep the process alive.
        (client as { connection?: { stream?: { unref?: () => void } } }).connection?.stream?.unref?.();
        await client.query(`listen ${this.#channel}`);
        await client.query('select pg_notify($1, $2)', [this.#channel, proof]);
        setTimeout(() => isProven || signal.aborted || onSilence(), PROOF).unref();
        // Notifications during the disconnection are unknown.
        if (!isFirst && !signal.aborted) listener(undefined);
        isFirst = false;
        await ended;
      } catch {
        // The server is unreachable: the next attempt may succeed.
      }
      await client.end().catch(() => undefined);
      if (!signal.aborted) await new Promise<void>((resolve) => void setTimeout(resolve, RECONNECT).unref());
    }
  }
}

function toSql(query: Query): Sql {
  return (statement, values) => query(statement, bind(values));
}

/** Separator and marker for missing values: characters that JSON always escapes. */
const BETWEEN = '\u001F';
const MISSING = '\u001E';

/**
 * Sends each column as one value: the server parses a short statement, and one text is much faster to build than many values. Values that
 * all rows share are sent once.
 */
function* insertRows(
  table: string,
  columns: readonly SqlColumn[],
  rows: readonly SqlRow[],
): Generator<SqlStatement, void> {
  const names = columns.map(({ name }) => name).join(', ');
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE);
    const values: SqlValue[] = [];
    const [selected, arrays, aliases]: [string[], string[], string[]] = [[], [], []];
    for (const [index, { name, type }] of columns.entries()) {
      // Columns contain texts and numbers.
      const cells = some.map((row) => (row[name] ?? undefined) as string | number | undefined);
      const [first] = cells;
      // At least one column must produce the rows.
      if (index > 0 && cells.every((cell) => cell === first)) {
        selected.push(`$${values.push(first ?? null)}::${type}`);
        continue;
      }
      const { text, isPlain } = joinCells(cells);
      const place = `$${values.push(text)}`;
      arrays.push(isPlain ? `string_to_array(${place}, chr(31), chr(30))::${type}[]` : `${place}::${type}[]`);
      aliases.push(`"${name}"`);
      selected.push(`made."${name}"`);
    }
    const made = `unnest(${arrays.join(', ')}) as made(${aliases.join(', ')})`;
    yield { text: `insert into ${table} (${names}) select ${selected.join(', ')} from ${made}`, values };
  }
}

/** Joins the cells of a column to one text, or to a PostgreSQL array if a cell contains a separator. */
function joinCells(cells: readonly (string | number | undefined)[]): {
  readonly text: string;
  readonly isPlain: boolean;
} {
  let missing = 0;
  const texts = cells.map((cell) => {
    if (cell === undefined) missing++;
    return cell ?? MISSING;
  });
  const text = texts.join(BETWEEN);
  const isPlain = text !== '' && count(text, BETWEEN) === cells.length - 1 && count(text, MISSING) === missing;
  return isPlain ? { text, isPlain } : { text: toArray(cells), isPlain };
}

/** Counts a character: searching one long text is faster than many short ones. */
function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found++;
  return found;
}

function toArray(cells: readonly (string | number | undefined)[]): string {
  const texts = cells.map((cell) => (cell === undefined ? 'NULL' : `"${String(cell).replaceAll(/["\\]/g, '\\$&')}"`));
  return `{${texts.join(',')}}`;
}

function bind(values: readonly SqlValue[] | undefined): readonly unknown[] | undefined {
  // The package accepts bytes only as a Buffer.
  return values?.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
}

/** Removes the schema from an address: the server would refuse an unknown parameter. */
function parseUrl(text: string): { readonly url: string; readonly schema: string } {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    const message = 'store is not an address of PostgreSQL. Write postgres://user:password@host:5432/database.';
    throw new ToolError({ code: 'invalid_config', message, cause });
  }
  const schema = url.searchParams.get('schema') ?? 'pegboard';
  url.searchParams.delete('schema');
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const message = `store: the schema ${JSON.stringify(schema)} is not a name. Use small letters, digits and _, beginning with a letter, at most 63.`;
    throw new ToolError({ code: 'invalid_config', message });
  }
  return { url: url.href, schema };
}
