import { ToolError } from '../../tool/tool-error.ts';
import type { Sql, SqlColumn, SqlDialect, SqlRow, SqlValue } from './sql-database.ts';
import type {
  EntriesOptions,
  JournalLine,
  JournalQuery,
  StoreAccess,
  StoreBytes,
  StoreJournal,
  StoreSpace,
  StoredLine,
} from './board-store.ts';

/** Reads and writes the tables, alone or inside a transaction. */
export function accessTables(run: Sql, dialect: SqlDialect): Omit<StoreAccess, 'signal'> {
  return {
    space: (name) => openSpace(run, dialect, name),
    journal: openJournal(run, dialect),
    bytes: openBytes(run, dialect),
  };
}

/** Maximum bytes of a key: PostgreSQL's indexes allow few more. */
const MAX_KEY = 2_000;
/** Sorts after every text that continues a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

function openSpace(run: Sql, { schema, now, byBytes }: SqlDialect, space: string): StoreSpace {
  const records = `${schema}.records`;
  const alive = `space = $1 and (expires is null or expires > ${now})`;
  const columns = `(space, key, value, changed, expires, owner, size)`;
  const values = `values ($1, $2, $3, ${now}, ${now} + $4, $5, $6)`;
  const taken =
    'value = excluded.value, changed = excluded.changed, expires = excluded.expires, owner = excluded.owner, size = excluded.size';
  const select = async (wanted: string, { prefix = '', owner, limit }: EntriesOptions): Promise<SqlRow[]> => {
    const given: SqlValue[] = [space];
    let where = alive;
    if (prefix !== '') {
      if (!isKey(prefix)) return [];
      // A range, which uses an index; comparing parts would scan every key.
      where += ` and key${byBytes} >= $${given.push(prefix)} and key${byBytes} < $${given.push(prefix + LAST_CHARACTER)}`;
    }
    if (owner !== undefined) where += owner === true ? ' and owner is not null' : ` and owner = $${given.push(owner)}`;
    const most = limit === undefined ? '' : ` limit $${given.push(Math.trunc(limit))}`;
    return run(`select ${wanted} from ${records} where ${where} order by changed, key${most}`, given);
  };
  const insert = (end: string, [key, value, { ttl, owner } = {}]: Parameters<StoreSpace['set']>): Promise<SqlRow[]> => {
    const text = JSON.stringify(value) ?? 'null';
    const row = [space, checkKey(key), text, ttl ?? null, owner ?? null, Buffer.byteLength(text)];
    const update = `on conflict (space, key) do update set ${taken}`;
    return run(`insert into ${records} as old ${columns} ${values} ${update}${end}`, row);
  };
  return {
    async get(key) {
      if (!isKey(key)) return undefined;
      const [row] = await run(`select value from ${records} where ${alive} and key = $2`, [space, key]);
      return row === undefined ? undefined : JSON.parse(String(row['value']));
    },
    set: async (key, value, options) => void (await insert('', [key, value, options])),
    add: async (key, value, options) =>
      (await insert(` where old.expires <= ${now} returning key`, [key, value, options])).length > 0,
    async delete(key) {
      if (!isKey(key)) return false;
      return (await run(`delete from ${records} where ${alive} and key = $2 returning key`, [space, key])).length > 0;
    },
    async entries(options = {}) {
      return (await select('key, value, changed', options)).map(({ key, value, changed }) => ({
        key: String(key),
        value: JSON.parse(String(value)),
        changedAt: Number(changed),
      }));
    },
    keys: async (options = {}) =>
      (await select('key, changed', options)).map(({ key, changed }) => ({
        key: String(key),
        changedAt: Number(changed),
      })),
    async count({ owner } = {}) {
      const [row] = await run(
        `select count(*) as records, coalesce(sum(size), 0) as bytes from ${records}
          where ${alive} and owner ${owner === undefined ? 'is not null' : '= $2'}`,
        owner === undefined ? [space] : [space, owner],
      );
      return { records: Number(row?.['records'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) };
    },
    clear: async () => void (await run(`delete from ${records} where space = $1`, [space])),
  };
}

/** Returns true for a name that every database can store. */
export function isKey(key: string): boolean {
  return key.isWellFormed() && !key.includes('\0') && Buffer.byteLength(key) <= MAX_KEY;
}

/** Returns a name that every database can store; throws `invalid_arguments` for others. */
export function checkKey(key: string): string {
  if (isKey(key)) return key;
  const shown = JSON.stringify(key.slice(0, 40));
  const message = `The board's store cannot keep a record under the name ${shown}${key.length > 40 ? '…' : ''}. Use at most ${MAX_KEY} bytes of text, without the character 0 and without halves of characters.`;
  throw new ToolError({ code: 'invalid_arguments', message });
}

const toColumn = (name: string): SqlColumn => ({ name, type: name === 'at' || name === 'place' ? 'bigint' : 'text' });
const LINE_COLUMNS = ['at', 'type', 'call', 'parent', 'tool', 'caller', 'outcome', 'body'].map(toColumn);
/** Only sealed lines have the last three. */
const ALL_COLUMNS = [...LINE_COLUMNS, ...['chain', 'place', 'seal'].map(toColumn)];
/** The columns to read. Numbers are read as text, because another program may have written some that JavaScript cannot represent. */
const READ_COLUMNS = ALL_COLUMNS.map(({ name, type }) =>
  type === 'bigint' ? `cast(${name} as text) as ${name}` : name,
).join(', ');
/** The greatest number that a board reads, because JavaScript represents no greater one exactly. */
const LAST_NUMBER = Number.MAX_SAFE_INTEGER;
/** The numbers of lines that boards wrote. */
const USUAL_NUMBERS = `number > 0 and number <= ${LAST_NUMBER}`;
/** Lines deleted per statement, so that none blocks others for long. */
const REMOVED_AT_ONCE = 5_000;

function openJournal(run: Sql, dialect: SqlDialect): StoreJournal {
  const journal = `${dialect.schema}.journal`;
  return {
    async append(lines) {
      const columns = lines.some(({ chain }) => chain !== undefined) ? ALL_COLUMNS : LINE_COLUMNS;
      const held: readonly JournalLine[] = lines.map(toHoldable);
      // Lines have the names of the columns.
      const rows = held as readonly (JournalLine & SqlRow)[];
      for (const { text, values } of dialect.insert(journal, columns, rows)) await run(text, values);
    },
    async read(given) {
      if (!isHoldable(given)) return [];
      const query = await boundByTime(run, journal, given);
      const { where, values } = toConditions(query, dialect);
      const { order = 'newest', limit = 100 } = query;
      const direction = order === 'newest' ? 'desc' : 'asc';
      const rows = await run(
        `select cast(number as text) as line, ${READ_COLUMNS} from ${journal}${where} order by number ${direction} limit $${values.length + 1}`,
        [...values, toWhole(Math.max(limit, 0))],
      );
      return rows.map(toLine);
    },
    async remove({ before, upTo, caller }) {
      const values: SqlValue[] = [];
      const conditions: string[] = [];
      if (before !== undefined) conditions.push(`at < $${values.push(toWhole(before))}`);
      if (upTo !== undefined) conditions.push(`number <= $${values.push(toWhole(upTo))}`);
      if (caller?.includes('\0') === true) return 0;
      if (caller !== undefined) conditions.push(`caller = $${values.push(caller)}`);
      if (conditions.length === 0) return 0;
      // Lines of other programs stay, so that they can be found.
      conditions.push(USUAL_NUMBERS);
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

/** Maximum characters of an indexed text: PostgreSQL allows 2,704 bytes. */
const MAX_INDEXED = 600;
const INDEXED = ['call', 'parent', 'tool', 'caller', 'outcome', 'chain'] as const;

/**
 * Adapts a line to what every database can store. Otherwise it would be retried with all lines next to it and block those of other callers.
 */
function toHoldable(line: JournalLine): JournalLine {
  const isHeld =
    !line.body.includes('\0') &&
    INDEXED.every((name) => {
      const text = line[name];
      return text === undefined || (text.length <= MAX_INDEXED && !text.includes('\0'));
    });
  if (isHeld) return line;
  const texts = INDEXED.flatMap((name) => {
    const text = line[name];
    return text === undefined ? [] : [[name, withoutZero(text.slice(0, MAX_INDEXED))]];
  });
  return { ...line, ...Object.fromEntries(texts), body: withoutZero(line.body) };
}

function withoutZero(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

/** Returns false when no line can match: no database stores texts with NUL. */
function isHoldable({ types, calls, parent, tool, caller, outcome, chain, text }: JournalQuery): boolean {
  if (types?.length === 0 || calls?.length === 0) return false;
  const texts = [...(types ?? []), ...(calls ?? []), parent, tool, caller, outcome, chain, text];
  return !texts.some((one) => one?.includes('\0') === true);
}

/** Returns a whole number that every database can store. */
function toWhole(number: number): number {
  if (Number.isNaN(number)) return 0;
  return Math.trunc(Math.min(Math.max(number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER));
}

/** Milliseconds by which clocks may differ and lines may be late. */
const DISORDER = 10 * 60_000;
/** Up to this number of lines, reading them is as fast as searching by time. */
const FEW_LINES = 5_000;

/** Converts time limits to line numbers: numbers increase nearly with time, so no index of times is needed. */
async function boundByTime(run: Sql, journal: string, query: JournalQuery): Promise<JournalQuery> {
  const { since, after = 0, calls } = query;
  if (since === undefined || calls !== undefined) return query;
  const [ends] = await run(
    `select (select min(number) from ${journal} where ${USUAL_NUMBERS}) as first,
      (select max(number) from ${journal} where ${USUAL_NUMBERS}) as last`,
  );
  let low = Math.max(Number(ends?.['first'] ?? 0) - 1, after);
  // Someone with write access to the database can give a line a number beyond what programs count to.
  let high = toWhole(Number(ends?.['last'] ?? 0));
  if (high - low < FEW_LINES) return query;
  while (high - low > FEW_LINES / 10) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await run(`select cast(at as text) as at from ${journal} where number > $1 order by number limit 1`, [
      middle,
    ]);
    if (Number(row?.['at'] ?? Infinity) < since - DISORDER) low = middle;
    else high = middle;
  }
  return { ...query, after: low };
}

/** Frequent values, which are not indexed. */
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
    // Tells the database that the partial index of rare values applies, which it cannot infer from a bound value.
    const usual = USUAL[column];
    if (usual !== undefined && value !== usual) conditions.push(`${column} <> '${usual}'`);
  }
  const { types, calls, since, until, after, before, text, strange = false } = query;
  conditions.push(strange ? `not (${USUAL_NUMBERS})` : USUAL_NUMBERS);
  if (types !== undefined) conditions.push(`type in (${types.map(place).join(', ')})`);
  if (calls !== undefined) conditions.push(`call in (${calls.map(place).join(', ')})`);
  if (since !== undefined) conditions.push(`at >= ${place(toWhole(since))}`);
  if (until !== undefined) conditions.push(`at < ${place(toWhole(until))}`);
  if (after !== undefined) conditions.push(`number > ${place(toWhole(after))}`);
  if (before !== undefined) conditions.push(`number < ${place(toWhole(before))}`);
  if (text !== undefined) conditions.push(dialect.contains('body', place(text)));
  return { where: ` where ${conditions.join(' and ')}`, values };
}

function toLine(row: Readonly<Record<string, unknown>>): StoredLine {
  const { line: number, at, type, call, body, place } = row;
  const texts = ['parent', 'tool', 'caller', 'outcome', 'chain', 'seal'].filter(
    (name) => typeof row[name] === 'string',
  );
  const isExact = [number, at, place ?? 0].every((value) => isWritten(value));
  return {
    number: Number(number),
    at: Number(at),
    type: String(type),
    call: String(call),
    body: String(body),
    ...Object.fromEntries(texts.map((name) => [name, row[name]])),
    ...(place === null ? {} : { place: Number(place) }),
    ...(isExact ? {} : { written: { number: String(number), at: String(at), place: String(place) } }),
  };
}

/** Returns true for a whole number as JavaScript writes it: not `9007199254740993` or `0x64`. */
function isWritten(value: unknown): boolean {
  return Number.isSafeInteger(Number(value)) && String(Number(value)) === String(value);
}

function openBytes(run: Sql, { schema, now }: SqlDialect): StoreBytes {
  const pieces = `${schema}.pieces`;
  return {
    write: async ({ id, piece, bytes, ttl }) =>
      void (await run(
        `insert into ${pieces} (id, piece, bytes, expires) values ($1, $2, $3, ${now} + $4)
          on conflict (id, piece) do update set bytes = excluded.bytes, expires = excluded.expires`,
        [checkKey(id), piece, bytes, ttl ?? null],
      )),
    async read(id, piece) {
      if (!isKey(id) || !Number.isSafeInteger(piece)) return undefined;
      const alive = `(expires is null or expires > ${now})`;
      const [row] = await run(`select bytes from ${pieces} where id = $1 and piece = $2 and ${alive}`, [id, piece]);
      const bytes = row?.['bytes'];
      return bytes instanceof Uint8Array ? bytes : undefined;
    },
    async delete(id) {
      if (isKey(id)) await run(`delete from ${pieces} where id = $1`, [id]);
    },
  };
}
