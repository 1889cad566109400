import type { Sql, SqlColumn, SqlDialect, SqlRow, SqlValue } from './sql-database.ts';
import type {
  JournalLine,
  JournalQuery,
  StoreAccess,
  StoreBytes,
  StoreJournal,
  StoreSpace,
  StoredLine,
} from './board-store.ts';

/** Reads and writes tables: alone, or inside a transaction. */
export function accessTables(run: Sql, dialect: SqlDialect): Omit<StoreAccess, 'signal'> {
  return {
    space: (name) => openSpace(run, dialect, name),
    journal: openJournal(run, dialect),
    bytes: openBytes(run, dialect),
  };
}

function openSpace(run: Sql, { schema, now }: SqlDialect, space: string): StoreSpace {
  const records = `${schema}.records`;
  const alive = `space = $1 and (expires is null or expires > ${now})`;
  const columns = `(space, key, value, changed, expires)`;
  const values = `values ($1, $2, $3, ${now}, ${now} + $4)`;
  return {
    async get(key) {
      const [row] = await run(`select value from ${records} where ${alive} and key = $2`, [space, key]);
      return row === undefined ? undefined : JSON.parse(String(row['value']));
    },
    async set(key, value, { ttl } = {}) {
      const taken = 'value = excluded.value, changed = excluded.changed, expires = excluded.expires';
      await run(`insert into ${records} ${columns} ${values} on conflict (space, key) do update set ${taken}`, [
        space,
        key,
        toText(value),
        ttl ?? null,
      ]);
    },
    async add(key, value, { ttl } = {}) {
      const taken = 'value = excluded.value, changed = excluded.changed, expires = excluded.expires';
      const rows = await run(
        `insert into ${records} as old ${columns} ${values}
          on conflict (space, key) do update set ${taken} where old.expires <= ${now} returning key`,
        [space, key, toText(value), ttl ?? null],
      );
      return rows.length > 0;
    },
    async delete(key) {
      return (await run(`delete from ${records} where ${alive} and key = $2 returning key`, [space, key])).length > 0;
    },
    async entries({ prefix = '', limit } = {}) {
      const rows = await run(
        `select key, value, changed from ${records} where ${alive} and substr(key, 1, length($2)) = $2
          order by changed, key${limit === undefined ? '' : ` limit ${Math.trunc(limit)}`}`,
        [space, prefix],
      );
      return rows.map(({ key, value, changed }) => ({
        key: String(key),
        value: JSON.parse(String(value)),
        changedAt: Number(changed),
      }));
    },
    clear: async () => void (await run(`delete from ${records} where space = $1`, [space])),
  };
}

const LINE_COLUMNS: readonly SqlColumn[] = [
  { name: 'at', type: 'bigint' },
  { name: 'type', type: 'text' },
  { name: 'call', type: 'text' },
  { name: 'parent', type: 'text' },
  { name: 'tool', type: 'text' },
  { name: 'caller', type: 'text' },
  { name: 'outcome', type: 'text' },
  { name: 'body', type: 'text' },
];
/** What only sealed lines have. */
const SEAL_COLUMNS: readonly SqlColumn[] = [
  { name: 'chain', type: 'text' },
  { name: 'place', type: 'bigint' },
  { name: 'seal', type: 'text' },
];
const ALL_COLUMNS: readonly SqlColumn[] = [...LINE_COLUMNS, ...SEAL_COLUMNS];
const ALL_NAMES = ALL_COLUMNS.map(({ name }) => name).join(', ');
/** Lines that one statement deletes, so that none holds the others up for long. */
const REMOVED_AT_ONCE = 5_000;

function openJournal(run: Sql, dialect: SqlDialect): StoreJournal {
  const journal = `${dialect.schema}.journal`;
  return {
    async append(lines) {
      const columns = lines.some(({ chain }) => chain !== undefined) ? ALL_COLUMNS : LINE_COLUMNS;
      // Lines have the names of the columns.
      const rows = lines as readonly (JournalLine & SqlRow)[];
      for (const { text, values } of dialect.insert(journal, columns, rows)) await run(text, values);
    },
    async read(given) {
      const query = await boundByTime(run, journal, given);
      const { where, values } = toConditions(query, dialect);
      const { order = 'newest', limit = 100 } = query;
      const direction = order === 'newest' ? 'desc' : 'asc';
      const rows = await run(
        `select number, ${ALL_NAMES} from ${journal}${where} order by number ${direction} limit ${Math.trunc(limit)}`,
        values,
      );
      return rows.map(toLine);
    },
    async remove({ before, upTo, caller }) {
      const values: SqlValue[] = [];
      const conditions: string[] = [];
      if (before !== undefined) conditions.push(`at < $${values.push(before)}`);
      if (upTo !== undefined) conditions.push(`number <= $${values.push(upTo)}`);
      if (caller !== undefined) conditions.push(`caller = $${values.push(caller)}`);
      if (conditions.length === 0) return 0;
      let removed = 0;
      for (;;) {
        const rows = await run(
          `delete from ${journal} where number in (select number from ${journal} where ${conditions.join(' and ')}
            order by number limit ${REMOVED_AT_ONCE}) returning number`,
          values,
        );
        removed += rows.length;
        if (rows.length < REMOVED_AT_ONCE) return removed;
      }
    },
  };
}

/** Milliseconds by which clocks may differ, and lines may arrive late. */
const DISORDER = 10 * 60_000;
/** Lines among which no time is looked for: to read them is as quick. */
const FEW_LINES = 5_000;

/**
 * Says with numbers what a query says with times: lines lie in the order of their numbers, which is nearly that of their
 * times, so that an index of times is not needed.
 */
async function boundByTime(run: Sql, journal: string, query: JournalQuery): Promise<JournalQuery> {
  const { since, after = 0, calls } = query;
  if (since === undefined || calls !== undefined) return query;
  const [ends] = await run(
    `select (select min(number) from ${journal}) as first, (select max(number) from ${journal}) as last`,
  );
  let low = Math.max(Number(ends?.['first'] ?? 0) - 1, after);
  let high = Number(ends?.['last'] ?? 0);
  if (high - low < FEW_LINES) return query;
  while (high - low > FEW_LINES / 10) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await run(`select at from ${journal} where number > $1 order by number limit 1`, [middle]);
    if (Number(row?.['at'] ?? Infinity) < since - DISORDER) low = middle;
    else high = middle;
  }
  return { ...query, after: low };
}

/** Values that most lines have, and that no index has. */
const USUAL: Readonly<Record<string, string>> = { caller: '', outcome: 'ok' };

function toConditions(
  query: JournalQuery,
  dialect: SqlDialect,
): { readonly where: string; readonly values: SqlValue[] } {
  const values: SqlValue[] = [];
  const place = (value: SqlValue): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  for (const column of ['parent', 'tool', 'caller', 'outcome', 'chain'] as const) {
    const value = query[column];
    if (value === undefined) continue;
    conditions.push(`${column} = ${place(value)}`);
    // Says what a database cannot see of a bound value: that the index of the rarer ones has it.
    const usual = USUAL[column];
    if (usual !== undefined && value !== usual) conditions.push(`${column} <> '${usual}'`);
  }
  const { types, calls, since, until, after, before, text } = query;
  if (types !== undefined) conditions.push(`type in (${types.map(place).join(', ')})`);
  if (calls !== undefined) conditions.push(`call in (${calls.map(place).join(', ')})`);
  if (since !== undefined) conditions.push(`at >= ${place(since)}`);
  if (until !== undefined) conditions.push(`at < ${place(until)}`);
  if (after !== undefined) conditions.push(`number > ${place(after)}`);
  if (before !== undefined) conditions.push(`number < ${place(before)}`);
  if (text !== undefined) conditions.push(dialect.contains('body', place(text)));
  return { where: conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`, values };
}

function toLine(row: Readonly<Record<string, unknown>>): StoredLine {
  const { number, at, type, call, body, place } = row;
  const optional = (column: 'parent' | 'tool' | 'caller' | 'outcome' | 'chain' | 'seal'): Partial<JournalLine> => {
    const value = row[column];
    return typeof value === 'string' ? { [column]: value } : {};
  };
  return {
    number: Number(number),
    at: Number(at),
    type: String(type),
    call: String(call),
    body: String(body),
    ...optional('parent'),
    ...optional('tool'),
    ...optional('caller'),
    ...optional('outcome'),
    ...optional('chain'),
    ...(place === null ? {} : { place: Number(place) }),
    ...optional('seal'),
  };
}

function openBytes(run: Sql, { schema, now }: SqlDialect): StoreBytes {
  const pieces = `${schema}.pieces`;
  return {
    write: async ({ id, piece, bytes, ttl }) =>
      void (await run(
        `insert into ${pieces} (id, piece, bytes, expires) values ($1, $2, $3, ${now} + $4)
          on conflict (id, piece) do update set bytes = excluded.bytes, expires = excluded.expires`,
        [id, piece, bytes, ttl ?? null],
      )),
    async read(id, piece) {
      const alive = `(expires is null or expires > ${now})`;
      const [row] = await run(`select bytes from ${pieces} where id = $1 and piece = $2 and ${alive}`, [id, piece]);
      const bytes = row?.['bytes'];
      return bytes instanceof Uint8Array ? bytes : undefined;
    },
    delete: async (id) => void (await run(`delete from ${pieces} where id = $1`, [id])),
  };
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
