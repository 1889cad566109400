import { randomUUID } from 'node:crypto';
import type { StoreSpace } from '../store/board-store.ts';
import type { SealedTransaction } from '../store/sealed-space.ts';
import { hasEnded, type JobKind, type JobRecord, type JobMessage } from './job-record.ts';
import { isPlainObject } from '../../tool/json.ts';

/** Bytes per stored piece of an attachment. */
const PIECE = 512 * 1024;
/** Milliseconds until an undelivered message expires. */
const MESSAGE_TTL = 10 * 60_000;

/** An entry with its position in the log. */
interface NumberedEntry<Entry> {
  readonly number: number;
  readonly entry: Entry;
}

/** Reads and writes the stored jobs of one kind, alone or inside a transaction. */
export class JobTables<Info, Entry, Result> {
  readonly #kind: JobKind;
  readonly #bytes: SealedTransaction['bytes'];
  readonly #records: StoreSpace;
  readonly #log: StoreSpace;
  readonly #results: StoreSpace;
  readonly #messages: StoreSpace;

  constructor(kind: JobKind, access: Pick<SealedTransaction, 'space' | 'bytes'>) {
    this.#kind = kind;
    this.#bytes = access.bytes;
    this.#records = access.space(kind.name);
    this.#log = access.space(`${kind.name}-log`);
    this.#results = access.space(`${kind.name}-results`);
    this.#messages = access.space(`${kind.name}-wishes`);
  }

  async record(id: string): Promise<JobRecord<Info> | undefined> {
    // Only `setRecord` writes there.
    return readState(await this.#records.get(id)) as JobRecord<Info> | undefined;
  }

  async records(wanted: Parameters<StoreSpace['entries']>[0]): Promise<JobRecord<Info>[]> {
    // Only `setRecord` writes there.
    return (await this.#records.entries(wanted)).flatMap(({ value }) => (readState(value) as JobRecord<Info>) ?? []);
  }

  async setRecord(record: JobRecord<Info>): Promise<void> {
    await this.#records.set(record.id, encodeState(record), this.#optionsOf(record));
  }

  async entries(id: string): Promise<Entry[]> {
    const stored = await this.#log.entries({ prefix: `${id} ` });
    const own = stored.filter(({ key, value }) => value !== undefined && /^\d{8}$/.test(key.slice(id.length + 1)));
    // Only `setEntry` writes there.
    return own.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ value }) => readState(value) as Entry);
  }

  async setEntry(record: JobRecord<Info>, { number, entry }: NumberedEntry<Entry>): Promise<void> {
    await this.#log.set(toKey(record.id, number), encodeState(entry), this.#optionsOf(record));
  }

  async deleteEntries(id: string, count: number): Promise<void> {
    for (let number = 0; number < count; number++) await this.#log.delete(toKey(id, number));
  }

  async result(id: string): Promise<Result | undefined> {
    // Only `setResult` writes there.
    return readState(await this.#results.get(id)) as Result | undefined;
  }

  async setResult(record: JobRecord<Info>, result: Result): Promise<void> {
    await this.#results.set(record.id, encodeState(result), this.#optionsOf(record));
  }

  async attachment({ id, pieces = 0 }: JobRecord<Info>): Promise<Buffer | undefined> {
    const parts: Uint8Array[] = [];
    for (let piece = 0; piece < pieces; piece++) {
      const part = await this.#bytes.read(this.#bytesId(id), piece);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return pieces === 0 ? undefined : Buffer.concat(parts);
  }

  /** Stores the attachment of a job and replaces an earlier one. Returns its number of pieces. */
  async setAttachment(record: JobRecord<Info>, attachment: Uint8Array): Promise<number> {
    const id = this.#bytesId(record.id);
    const { ttl } = this.#optionsOf(record);
    await this.#bytes.delete(id);
    const pieces = Math.ceil(attachment.length / PIECE);
    for (let piece = 0; piece < pieces; piece++)
      await this.#bytes.write({ id, piece, bytes: attachment.subarray(piece * PIECE, (piece + 1) * PIECE), ttl });
    return pieces;
  }

  async addMessage(id: string, message: JobMessage): Promise<void> {
    const key = `${id} ${message.type === 'cancel' ? message.type : randomUUID()}`;
    await this.#messages.set(key, encodeState(message), { ttl: MESSAGE_TTL });
  }

  /** Reads the messages for a job, the oldest first. Deletes those that are delivered once. */
  async takeMessages(id: string): Promise<JobMessage[]> {
    const taken: JobMessage[] = [];
    for (const { key, value } of await this.#messages.entries({ prefix: `${id} ` })) {
      if (key.slice(id.length + 1).includes(' ')) continue;
      // Only `addMessage` writes there.
      const message = readState(value) as JobMessage | undefined;
      if (message?.type === 'cancel' || (message !== undefined && (await this.#messages.delete(key))))
        taken.push(message);
    }
    return taken;
  }

  async deleteCancellation(id: string): Promise<void> {
    await this.#messages.delete(`${id} cancel`);
  }

  /** Counts the jobs of one owner, or of all, and their bytes. Uses an index and does not read them. */
  async count(owner?: string): Promise<{ readonly jobs: number; readonly bytes: number }> {
    const [records, results] = [await this.#records.count({ owner }), await this.#results.count({ owner })];
    return { jobs: records.records, bytes: records.bytes + results.bytes };
  }

  #optionsOf(record: JobRecord<Info>): { readonly ttl: number | undefined; readonly owner: string } {
    const { owner, expiresAt } = record;
    if (expiresAt !== undefined) return { owner, ttl: Math.max(expiresAt - Date.now(), 1) };
    return { owner, ttl: hasEnded(record) ? this.#kind.keepEnded : this.#kind.keepOpen };
  }

  #bytesId(key: string): string {
    return `${this.#kind.name} ${key}`;
  }
}

/** Creates the key of an entry. Keys sort in log order. */
function toKey(id: string, number: number): string {
  return `${id} ${String(number).padStart(8, '0')}`;
}

/** Marks a value that JSON cannot represent. */
const MARK = '$pegboard';

/** Encodes state as JSON that keeps bytes, URLs and dates. */
export function encodeState(state: unknown): string {
  // Not an arrow function: `this` has the value before its `toJSON`, which bytes, URLs and dates have.
  return JSON.stringify(state, function encode(this: Record<string, unknown>, key: string, shown: unknown): unknown {
    const value = this[key];
    if (value instanceof Uint8Array)
      return {
        [MARK]: 'bytes',
        value: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
      };
    if (value instanceof ArrayBuffer) return { [MARK]: 'bytes', value: Buffer.from(value).toString('base64') };
    if (value instanceof URL) return { [MARK]: 'url', value: value.href };
    if (value instanceof Date) return { [MARK]: 'date', value: value.getTime() };
    // Data that looks like a mark must stay data.
    if (isPlainObject(shown) && Object.hasOwn(shown, MARK) && !isEscape(this, key))
      return { [MARK]: 'data', value: shown };
    return shown;
  });
}

/** Decodes the text of `encodeState`; `undefined` for values that another program wrote to a sealed store. */
function readState(text: unknown): unknown {
  // Only texts are written.
  return text === undefined ? undefined : decode(JSON.parse(text as string));
}

function isEscape(parent: Record<string, unknown>, key: string): boolean {
  return key === 'value' && parent[MARK] === 'data' && Object.keys(parent).length === 2;
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (!isPlainObject(value)) return value;
  switch (value[MARK]) {
    case 'bytes':
      return new Uint8Array(Buffer.from(String(value['value']), 'base64'));
    case 'url':
      return new URL(String(value['value']));
    case 'date':
      return new Date(Number(value['value']));
    case 'data':
      return decodeFields(Object(value['value']));
    default:
      return decodeFields(value);
  }
}

function decodeFields(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, decode(part)]));
}
