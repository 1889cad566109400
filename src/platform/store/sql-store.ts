import { ToolError } from '../../tool/tool-error.ts';
import { isGone, thisProcess } from '../process/trees/process-table.ts';
import { migrate } from './migrate.ts';
import { accessTables, checkKey, isKey } from './sql-access.ts';
import type { Sql, SqlDatabase } from './sql-database.ts';
import type {
  BoardStore,
  LeaseOptions,
  StoreLease,
  StoreSpace,
  StoreStatus,
  StoreTransaction,
  StoreTransactionOptions,
} from './board-store.ts';

/** Milliseconds between two deletions of expired data. */
const SWEEP = 60_000;
/** Milliseconds after which a free lease is deleted. */
const FORGET_LEASE = 24 * 60 * 60_000;

export class SqlStore implements BoardStore {
  readonly #database: SqlDatabase;
  readonly #run: Sql;
  readonly #access: ReturnType<typeof accessTables>;
  readonly #listeners = new Map<string, Set<() => void>>();
  #version: Promise<number> | undefined;
  #stopListening: (() => void) | undefined;
  #sweptAt = 0;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#run = async (statement, values) => {
      await this.#open();
      return database.run(statement, values);
    };
    this.#access = accessTables(this.#run, database.dialect);
  }

  get address(): string {
    return this.#database.address;
  }

  get isTemporary(): boolean {
    return this.#database.dialect.driver === 'memory';
  }

  get bytes(): BoardStore['bytes'] {
    return this.#access.bytes;
  }

  get journal(): BoardStore['journal'] {
    const { journal } = this.#access;
    return {
      ...journal,
      append: async (lines, { durable = false, signal } = {}) => {
        await this.#open();
        await this.#database.transaction(
          async (run) => {
            await accessTables(run, this.#database.dialect).journal.append(lines);
            if (signal !== undefined) await this.#database.announce(run, checkKey(signal));
          },
          { durable, isAppend: true },
        );
        if (signal !== undefined) this.#announced(signal);
      },
    };
  }

  space(name: string): StoreSpace {
    const space = this.#access.space(name);
    return {
      ...space,
      set: async (key, value, options) => {
        await space.set(key, value, options);
        await this.#sweep();
      },
    };
  }

  async transaction<T>(
    work: (inside: StoreTransaction) => Promise<T>,
    { durable = true }: StoreTransactionOptions = {},
  ): Promise<T> {
    await this.#open();
    const announced = new Set<string>();
    const result = await this.#database.transaction(
      async (run) => {
        announced.clear();
        return work({
          ...accessTables(run, this.#database.dialect),
          fence: (lease) => this.#fence(run, lease),
          signal: async (channel) => {
            // Announces each channel once per transaction.
            if (!announced.has(channel)) await this.#database.announce(run, checkKey(channel));
            announced.add(channel);
          },
        });
      },
      { durable },
    );
    for (const channel of announced) this.#announced(channel);
    return result;
  }

  async signal(channel: string): Promise<void> {
    await this.transaction((inside) => inside.signal(channel));
  }

  watch(channel: string, listener: () => void): () => void {
    const set = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, set.add(listener));
    this.#stopListening ??= this.#database.listen((changed) => this.#notify(changed));
    return () => {
      set.delete(listener);
      if (set.size > 0 || this.#listeners.get(channel) !== set) return;
      this.#listeners.delete(channel);
      if (this.#listeners.size > 0) return;
      this.#stopListening?.();
      this.#stopListening = undefined;
    };
  }

  async takeLease(name: string, { holder, ttl }: LeaseOptions): Promise<StoreLease | undefined> {
    checkKey(name);
    const { schema, now } = this.#database.dialect;
    // The first token of a lease is the time, which is higher than earlier tokens of a lease that was deleted in between.
    const take = (condition: string, more: readonly number[] = []): Promise<Awaited<ReturnType<Sql>>> =>
      this.#run(
        `insert into ${schema}.leases as old (name, holder, token, expires, process) values ($1, $2, ${now}, ${now} + $3, $4)
          on conflict (name) do update set holder = excluded.holder, token = old.token + 1, expires = excluded.expires,
          process = excluded.process where ${condition} returning token`,
        [name, holder, ttl, thisProcess(), ...more],
      );
    let [row] = await take(`old.expires <= ${now}`);
    if (row === undefined) {
      const [held] = await this.#run(`select process, token from ${schema}.leases where name = $1`, [name]);
      if (held === undefined || !isGone(String(held['process']))) return undefined;
      [row] = await take('old.token = $5', [Number(held['token'])]);
    }
    if (row === undefined) return undefined;
    const token = Number(row['token']);
    const mine = `where name = $1 and token = $2`;
    return {
      name,
      token,
      renew: async () => {
        const rows = await this.#run(
          `update ${schema}.leases set expires = ${now} + $3 ${mine} and expires > 0 returning token`,
          [name, token, ttl],
        );
        return rows.length > 0;
      },
      // A negative time marks the time of release.
      release: async () =>
        void (await this.#run(`update ${schema}.leases set expires = -${now} ${mine} and expires > 0`, [name, token])),
    };
  }

  async leaseHolder(name: string): Promise<string | undefined> {
    if (!isKey(name)) return undefined;
    const { schema, now } = this.#database.dialect;
    const where = `where name = $1 and expires > ${now}`;
    const [row] = await this.#run(`select holder, process from ${schema}.leases ${where}`, [name]);
    return row === undefined || isGone(String(row['process'])) ? undefined : String(row['holder']);
  }

  async status(): Promise<StoreStatus> {
    const { schema, now, driver } = this.#database.dialect;
    const version = await this.#open();
    const spaces = await this.#run(
      `select space, count(*) as count from ${schema}.records where expires is null or expires > ${now}
        group by space order by space`,
    );
    const count = async (table: string): Promise<number> =>
      Number((await this.#run(`select count(*) as count from ${schema}.${table}`))[0]?.['count'] ?? 0);
    return {
      address: this.address,
      driver,
      version,
      size: await this.#database.size(),
      spaces: Object.fromEntries(spaces.map(({ space, count: records }) => [String(space), Number(records)])),
      lines: await count('journal'),
      pieces: await count('pieces'),
    };
  }

  async vacuum(): Promise<void> {
    await this.#removeExpired();
    await this.#database.vacuum();
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#stopListening?.();
    this.#stopListening = undefined;
    await this.#database.close();
  }

  /** Updates the tables once. The next statement retries after a failure. */
  #open(): Promise<number> {
    return (this.#version ??= migrate(this.#database).catch((error: unknown) => {
      this.#version = undefined;
      throw error;
    }));
  }

  async #fence(run: Sql, { name, token }: StoreLease): Promise<void> {
    const { schema, forUpdate } = this.#database.dialect;
    const [row] = await run(`select token, expires from ${schema}.leases where name = $1${forUpdate}`, [name]);
    if (Number(row?.['token']) === token && Number(row?.['expires']) > 0) return;
    const message = `Another process took over "${name}", because this one did not respond in time. Nothing was written.`;
    throw new ToolError({ code: 'outcome_unknown', message });
  }

  #announced(channel: string): void {
    this.#database.announced?.(channel);
    this.#notify(channel);
  }

  #notify(channel: string | undefined): void {
    const wanted = channel === undefined ? [...this.#listeners.values()] : [this.#listeners.get(channel) ?? new Set()];
    for (const listeners of wanted) for (const listener of Array.from(listeners)) listener();
  }

  async #sweep(): Promise<void> {
    const time = performance.now();
    if (time - this.#sweptAt < SWEEP) return;
    this.#sweptAt = time;
    await this.#removeExpired();
  }

  async #removeExpired(): Promise<void> {
    const { schema, now } = this.#database.dialect;
    for (const table of ['records', 'pieces'])
      await this.#run(`delete from ${schema}.${table} where expires <= ${now}`);
    await this.#run(`delete from ${schema}.leases where abs(expires) <= ${now} - ${FORGET_LEASE}`);
  }
}
