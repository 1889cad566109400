import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { ToolError } from '../../../tool/tool-error.ts';
import { loadPeer } from '../../../platform/peers/load-peer.ts';

/** Runs one statement with its values bound. */
export type Query = <Row extends QueryResultRow>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Where the server is. */
export interface ServerOptions {
  /** `postgresql://user:password@host:port/database`. */
  readonly url: string;
  readonly maxConnections: number;
}

/** Three of them fit into the time a call has. */
const CONNECT_TIMEOUT = 5_000;
const ATTEMPTS = 3;
const PAUSE = 200;
/** Another transaction was in the way, or dropped what was just read: the same statements succeed when tried again. */
const IN_THE_WAY = new Set(['40001', '40P01', '42P01']);

const LOGIN = 'Check the user in endpoint_url, and the password there or in api_key';
/** What to do about what a server refuses, by its code. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28000': LOGIN,
  '28P01': LOGIN,
  '3D000': 'Check the database in endpoint_url, or make it',
  '42501': 'Grant its user what is needed: to make the schema and its tables once, then to read and write them',
};

/** A pool of connections: a lost connection is tried again, then reported in plain words. */
export class Server {
  readonly #pool: Pool;
  readonly #name: string;

  constructor({ url, maxConnections }: ServerOptions) {
    // The module as `import 'pg'` gives it.
    const pg = loadPeer('pg', 'The knowledge store "postgres"') as typeof import('pg');
    this.#name = describeUrl(url);
    this.#pool = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      allowExitOnIdle: true,
    });
    // An idle connection that the server ends is replaced when the next one is needed.
    this.#pool.on('error', () => undefined);
  }

  /** Runs statements as one: all of them or none, and on disk when this resolves. */
  async transaction<T>(work: (query: Query) => Promise<T>, isolation?: 'repeatable read'): Promise<T> {
    return this.#try(async (client) => {
      await client.query(isolation === undefined ? 'begin' : `begin isolation level ${isolation}`);
      try {
        const result = await work(toQuery(client));
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  }

  /** Runs statements one by one. */
  async run<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#try((client) => work(toQuery(client)));
  }

  async close(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }

  async #try<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let client: PoolClient | undefined;
      let failure: Error | undefined;
      let broken: Error | undefined;
      // A connection that ends between two statements tells it by an event, which would end the process unheard.
      const listen = (error: Error): void => void (broken = error);
      try {
        client = await this.#pool.connect();
        client.on('error', listen);
        return await work(client);
      } catch (error) {
        failure = broken ?? (error instanceof Error ? error : new Error(String(error)));
        const isLost = broken !== undefined || isConnectionLost(error);
        const mayTryAgain = attempt < ATTEMPTS && (isLost || IN_THE_WAY.has(codeOf(error)));
        if (!mayTryAgain) throw isLost ? this.#unavailable(failure) : this.#explain(error);
      } finally {
        // A connection that failed in between is not used again.
        client?.off('error', listen);
        client?.release(broken !== undefined || isConnectionLost(failure));
      }
      await wait(PAUSE * attempt);
    }
  }

  /** What the server refuses because of who asks, or where, in words that say what to change. */
  #explain(error: unknown): unknown {
    const advice = REFUSALS[codeOf(error)];
    if (advice === undefined || !(error instanceof Error)) return error;
    const message = `The PostgreSQL server ${this.#name} refused: ${error.message}. ${advice}.`;
    return new ToolError({ code: 'permission_denied', message, cause: error });
  }

  #unavailable(cause: Error): ToolError {
    const reason = cause.message === '' ? codeOf(cause) : cause.message;
    const message = `The PostgreSQL server ${this.#name} cannot be reached: ${reason}. Check that it runs and that endpoint_url is right.`;
    return new ToolError({ code: 'upstream_unavailable', message, cause });
  }
}

function toQuery(client: PoolClient): Query {
  return async (sql, values) => (await client.query(sql, values === undefined ? undefined : [...values])).rows;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  // Class 08: connection failures; 57P: the server shuts down or starts; E…: the network.
  if (/^(?:08|57P|53300|E[A-Z]+$)/.test(code)) return true;
  return error instanceof Error && /Connection terminated|timeout exceeded when trying to connect/.test(error.message);
}

/** Host, port and database: never the password. */
function describeUrl(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return '(endpoint_url is not a URL)';
  }
}
