import { setTimeout as wait } from 'node:timers/promises';
import type { Client, Pool, PoolClient, QueryResultRow } from 'pg';
import { ToolError } from '../../tool/tool-error.ts';
import { loadPeer } from '../peers/load-peer.ts';

/** Runs one statement with its values bound. */
export type Query = <Row extends QueryResultRow>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface PostgresServerOptions {
  /** `postgresql://user:password@host:port/database`. */
  readonly url: string;
  readonly maxConnections: number;
  /** Milliseconds to wait for the result of a statement before its connection is dropped. Default: no limit. */
  readonly patience?: number | undefined;
  /** The feature that uses the server, for the start of an error message. */
  readonly neededFor: string;
  /** The setting with the server's address, and the one with its password, for messages. */
  readonly setting: string;
  readonly passwordSetting?: string;
}

/** Three attempts fit into the timeout of a call. */
const CONNECT_TIMEOUT = 5_000;
const ATTEMPTS = 3;
const ATTEMPTS_IN_THE_WAY = 10;
const PAUSE = 200;
/** Serialization failures, deadlocks and dropped tables: the same statements succeed on retry. */
const IN_THE_WAY = new Set(['40001', '40P01', '42P01']);

/** The code with which PgBouncer refuses connection settings. */
const UNSUPPORTED = '08P01';

interface ServerTransaction {
  /** Default: read committed. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** False when committing twice does harm if the first answer is lost. Default: true. */
  readonly isRepeatable?: boolean;
  /** False when it may be lost in a power cut of the server. Default: true. */
  readonly isDurable?: boolean;
  /** A statement that takes a lock at the start of a retry, so that it waits for conflicting transactions. */
  readonly turn?: string | undefined;
}

/** A connection pool. Retries after a lost connection, then throws an error that names the fix. */
export class PostgresServer {
  readonly #pool: Pool;
  readonly #name: string;
  readonly #options: PostgresServerOptions;

  constructor(options: PostgresServerOptions) {
    const { url, maxConnections, neededFor, patience } = options;
    this.#options = options;
    // The module has the type of `import 'pg'`.
    const pg = loadPeer('pg', neededFor) as typeof import('pg');
    this.#name = describeUrl(url, options.setting);
    this.#pool = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      allowExitOnIdle: true,
      keepAlive: true,
      // The timer is local: a hanging server keeps no time, and PgBouncer does not accept such a setting.
      ...(patience === undefined ? {} : { query_timeout: patience }),
    });
    // The pool replaces an idle connection that the server ended.
    this.#pool.on('error', () => undefined);
  }

  /** Host, port and database, never the password. */
  get name(): string {
    return this.#name;
  }

  /** Runs statements in one transaction, which is on disk when this resolves. */
  async transaction<T>(
    work: (query: Query) => Promise<T>,
    { isolation = 'read committed', isRepeatable = true, isDurable = true, turn }: ServerTransaction = {},
  ): Promise<T> {
    let attempts = 0;
    return this.#try(async (client, hold) => {
      // One message saves a round trip.
      const quick = isDurable ? '' : '; set local synchronous_commit = off';
      await client.query(`begin isolation level ${isolation}${quick}`);
      try {
        // The lock comes before any read, so that changes of the transactions it waits for are visible.
        if (attempts++ > 0 && turn !== undefined) await client.query(turn);
        const result = await work(toQuery(client));
        if (!isRepeatable) hold();
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  }

  /** Runs statements without a transaction. */
  async run<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#try((client) => work(toQuery(client)));
  }

  /**
   * Runs a long statement outside a transaction on its own connection. When the signal aborts, the connection is closed; the server may
   * continue the statement.
   */
  async runAlone(sql: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const client = await this.#connectAlone();
    let lost: Error | undefined;
    client.on('error', (error) => void (lost = error));
    // While a query runs, this closes the connection at once.
    const leave = (): void => void client.end().catch(() => undefined);
    signal.addEventListener('abort', leave, { once: true });
    try {
      signal.throwIfAborted();
      await client.query(sql);
    } catch (error) {
      signal.throwIfAborted();
      throw lost === undefined && !isConnectionLost(error) ? this.#explain(error) : this.#unavailable(toError(error));
    } finally {
      signal.removeEventListener('abort', leave);
      await client.end().catch(() => undefined);
    }
  }

  async #connectAlone(): Promise<Client> {
    const { url, neededFor } = this.#options;
    // The module has the type of `import 'pg'`.
    const pg = loadPeer('pg', neededFor) as typeof import('pg');
    const settings = { connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT, keepAlive: true };
    // The role's limits are meant for ordinary statements. If PgBouncer refuses these settings, the limits apply.
    const options = '-c statement_timeout=0 -c client_min_messages=error';
    for (const more of [{ options }, {}]) {
      const client = new pg.Client({ ...settings, ...more });
      try {
        await client.connect();
        return client;
      } catch (error) {
        await client.end().catch(() => undefined);
        if (codeOf(error) !== UNSUPPORTED || !('options' in more)) throw this.#unavailable(toError(error));
      }
    }
    throw new TypeError('One of the two attempts gives a connection or throws.');
  }

  async close(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }

  async #try<T>(work: (client: PoolClient, hold: () => void) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let client: PoolClient | undefined;
      let failure: Error | undefined;
      let broken: Error | undefined;
      let isHeld = false;
      // A connection that ends between two statements emits an event, which would end the process if nothing listened.
      const listen = (error: Error): void => void (broken = error);
      try {
        client = await this.#pool.connect();
        client.on('error', listen);
        return await work(client, () => (isHeld = true));
      } catch (error) {
        failure = broken ?? toError(error);
        const isLost = broken !== undefined || isConnectionLost(error);
        const isInTheWay = IN_THE_WAY.has(codeOf(error));
        if (isLost && isHeld) throw this.#unknown(failure);
        const mayTryAgain = isInTheWay ? attempt < ATTEMPTS_IN_THE_WAY : isLost && attempt < ATTEMPTS;
        if (!mayTryAgain) throw isLost ? this.#unavailable(failure) : this.#explain(error);
      } finally {
        // A broken connection is not reused.
        client?.off('error', listen);
        client?.release(broken !== undefined || isConnectionLost(failure));
      }
      // A random delay keeps conflicting transactions from colliding again.
      await wait(
        failure !== undefined && IN_THE_WAY.has(codeOf(failure)) ? Math.random() * 20 * attempt : PAUSE * attempt,
      );
    }
  }

  /** Rewrites errors about permissions or load as messages that name the fix. */
  #explain(error: unknown): unknown {
    const code = codeOf(error);
    if (error instanceof Error && /^(?:57014|55P03|25P0[34]|53|40)/.test(code)) {
      const message = `The PostgreSQL server ${this.#name} is too busy: ${error.message}. Try again; if this persists, check what holds its locks or exhausts its time, memory or disk.`;
      return new ToolError({ code: 'upstream_unavailable', message, cause: error });
    }
    const advice = this.#advise(code);
    if (advice === undefined || !(error instanceof Error)) return error;
    const message = `The PostgreSQL server ${this.#name} refused: ${error.message}. ${advice}.`;
    return new ToolError({ code: 'permission_denied', message, cause: error });
  }

  #advise(code: string): string | undefined {
    const { setting, passwordSetting } = this.#options;
    switch (code) {
      case '28000':
      case '28P01':
        return `Check the user in ${setting}, and the password there${passwordSetting === undefined ? '' : ` or in ${passwordSetting}`}`;
      case '3D000':
        return `Check the database in ${setting}, or make it`;
      case '42501':
        return 'Grant its user the rights to create the schema and its tables, and to read and write them';
      default:
        return undefined;
    }
  }

  #unknown(cause: Error): ToolError {
    const message = `The connection to the PostgreSQL server ${this.#name} was lost during a write, so its outcome is unknown.`;
    return new ToolError({ code: 'outcome_unknown', message, cause });
  }

  #unavailable(cause: Error): ToolError {
    const reason = cause.message === '' ? codeOf(cause) : cause.message;
    const message = `The PostgreSQL server ${this.#name} cannot be reached: ${reason}. Check that it runs and that ${this.#options.setting} is right.`;
    return new ToolError({ code: 'upstream_unavailable', message, cause });
  }
}

function toQuery(client: PoolClient): Query {
  return async (sql, values) => (await client.query(sql, values === undefined ? undefined : [...values])).rows;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Returns the server's code for an error of `PostgresServer`, or an empty text. */
export function serverCodeOf(error: unknown): string {
  return codeOf(error instanceof ToolError ? error.cause : error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  // Class 08: connection failures; 57P: the server shuts down or starts; E…: the network.
  if (/^(?:08|57P|53300|E[A-Z]+$)/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|Query read timeout|timeout exceeded when trying to connect/.test(error.message)
  );
}

/** Returns host, port and database, never the password. */
function describeUrl(url: string, setting: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return `(${setting} is not a URL)`;
  }
}
