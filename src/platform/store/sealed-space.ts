import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type {
  BoardStore,
  EntriesOptions,
  OwnedRecordOptions,
  StoreBytes,
  StoreSpace,
  StoreTransaction,
} from './board-store.ts';
import { createPrivateFile, prepareDataFolder, readPrivateFile } from './private-file.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The record that identifies the key of a store without containing it. */
const META_SPACE = 'store';
const KEY_CHECK = 'key-check';

export interface StoreKeyOptions {
  /** The board's data folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the key that encrypts a board's secrets: `PEGBOARD_KEY`, or `store.key` in its data folder, which only this user can read and which
 * is created when missing.
 */
export function readStoreKey({ folder, env }: StoreKeyOptions): Buffer {
  const given = env['PEGBOARD_KEY'] || undefined;
  if (given !== undefined) return parseKey(given, 'PEGBOARD_KEY');
  const file = join(folder, 'store.key');
  const kept = readPrivateFile(file);
  if (kept !== undefined) return parseKey(kept.trim(), file);
  prepareDataFolder(folder);
  createPrivateFile(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
  // If several processes created it at once, all use the file that won.
  return parseKey((readPrivateFile(file) ?? '').trim(), file);
}

/** Throws `invalid_config` when a store is sealed with another key. */
export async function checkStoreKey(store: BoardStore, key: Buffer): Promise<void> {
  const mark = createHmac('sha256', key).update('pegboard store key').digest('base64');
  const space = store.space(META_SPACE);
  if (await space.add(KEY_CHECK, mark)) return;
  const known = Buffer.from(String(await space.get(KEY_CHECK)));
  const own = Buffer.from(mark);
  if (known.length === own.length && timingSafeEqual(known, own)) return;
  const message = `The board's store ${store.address} is sealed with another key. Set PEGBOARD_KEY to the key of the other processes of this board, or copy their store.key into the data folder.`;
  throw new ToolError({ code: 'invalid_config', message });
}

/** A transaction on sealed spaces. */
export type SealedTransaction = Pick<StoreTransaction, 'space' | 'bytes' | 'fence' | 'signal'>;

/** A store whose records and bytes only processes with the board's key can read. */
export interface SealedStore extends Pick<
  BoardStore,
  'space' | 'bytes' | 'takeLease' | 'leaseHolder' | 'signal' | 'watch'
> {
  transaction<T>(work: (inside: SealedTransaction) => Promise<T>): Promise<T>;
}

export interface KeyedStore extends SealedStore {
  /** Returns a name for a text that only processes with the board's key can compute and that does not reveal the text. */
  keyedName(purpose: string, text: string): Promise<string>;
}

/** Returns the key when it is first needed. */
type OpenKey = () => Promise<Buffer>;

/** Encrypts the records of a store. */
export function sealStore(store: BoardStore, { open }: { readonly open: OpenKey }): KeyedStore {
  return {
    space: (name) => openSealedSpace(store.space(name), name, open),
    bytes: openSealedBytes(() => store.bytes, open),
    takeLease: (name, options) => store.takeLease(name, options),
    leaseHolder: (name) => store.leaseHolder(name),
    signal: (channel) => store.signal(channel),
    watch: (channel, listener) => store.watch(channel, listener),
    keyedName: async (purpose, text) => keyedName(await open(), purpose, text),
    async transaction(work) {
      // Checking the key needs the store, which would wait for the transaction.
      const key = await open();
      const known = async (): Promise<Buffer> => key;
      return store.transaction((inside) =>
        work({
          space: (name) => openSealedSpace(inside.space(name), name, known),
          bytes: openSealedBytes(() => inside.bytes, known),
          fence: (lease) => inside.fence(lease),
          signal: (channel) => inside.signal(channel),
        }),
      );
    },
  };
}

function keyedName(key: Buffer, purpose: string, text: string): string {
  const own = createHmac('sha256', key).update(`pegboard ${purpose}`).digest();
  return createHmac('sha256', own).update(text).digest('hex');
}

/** Encrypts bytes and authenticates their place: a record copied elsewhere does not open there. */
function encrypt(key: Buffer, bytes: Uint8Array, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
  const text = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts bytes. Throws when they were changed, moved or written with another key. */
function decrypt(key: Buffer, sealed: Uint8Array, place: string): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const cipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
  cipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
}

/** Returns the name under which a store keeps the data of an unguessable id. The name does not reveal the id. */
export function toStoredName(id: string): string {
  return createHash('sha256').update(`pegboard name ${id}`).digest('base64url');
}

/** Encrypts bytes so that only holders of the unguessable id can read or create them. */
export function sealById(id: string, bytes: Uint8Array): Buffer {
  return encrypt(keyOf(id), bytes, '');
}

/** Decrypts bytes; `undefined` when they belong to another id or were changed. */
export function unsealById(id: string, sealed: Uint8Array): Buffer | undefined {
  try {
    return decrypt(keyOf(id), sealed, '');
  } catch {
    return undefined;
  }
}

function keyOf(id: string): Buffer {
  return createHash('sha256').update(`pegboard key ${id}`).digest();
}

async function unsealBytes(sealed: Uint8Array, place: string, open: OpenKey): Promise<Buffer> {
  const key = await open();
  try {
    return decrypt(key, sealed, place);
  } catch (cause) {
    const [name] = place.split('\n');
    const message = `A record of "${name}" in the board's store does not open with its key: it was changed, or written with another key.`;
    throw new ToolError({ code: 'execution_failed', message, cause });
  }
}

/** Encrypts the pieces of large values, each bound to its place. */
function openSealedBytes(bytes: () => StoreBytes, open: OpenKey): StoreBytes {
  const place = (id: string, piece: number): string => `bytes\n${id}\n${piece}`;
  return {
    write: async (given) =>
      bytes().write({ ...given, bytes: encrypt(await open(), given.bytes, place(given.id, given.piece)) }),
    async read(id, piece) {
      const sealed = await bytes().read(id, piece);
      return sealed && unsealBytes(sealed, place(id, piece), open);
    },
    delete: (id) => bytes().delete(id),
  };
}

/** Encrypts the values of a space, each bound to its place. */
function openSealedSpace(space: StoreSpace, name: string, open: OpenKey): StoreSpace {
  const place = (key: string): string => `${name}\n${key}`;
  const seal = async (key: string, value: unknown): Promise<{ readonly sealed: string }> => {
    const text = Buffer.from(JSON.stringify(value) ?? 'null');
    return { sealed: encrypt(await open(), text, place(key)).toString('base64') };
  };
  const unseal = async (key: string, value: unknown): Promise<unknown> => {
    // Someone with write access to the database must not be able to plant a login.
    if (!isPlainObject(value) || typeof value['sealed'] !== 'string') return undefined;
    const opened = await unsealBytes(Buffer.from(value['sealed'], 'base64'), place(key), open);
    return JSON.parse(opened.toString('utf8'));
  };
  // Someone who reads the database sees which records share an owner, but not who it is.
  const nameOwner = async (owner: string): Promise<string> => keyedName(await open(), `owner ${name}`, owner);
  const hide = async <T extends Pick<OwnedRecordOptions, 'owner'>>(kept: T): Promise<T> =>
    kept.owner === undefined ? kept : { ...kept, owner: await nameOwner(kept.owner) };
  const hideWanted = async (wanted: EntriesOptions): Promise<EntriesOptions> =>
    typeof wanted.owner === 'string' ? { ...wanted, owner: await nameOwner(wanted.owner) } : wanted;
  return {
    get: async (key) => unseal(key, await space.get(key)),
    set: async (key, value, kept = {}) => space.set(key, await seal(key, value), await hide(kept)),
    add: async (key, value, kept = {}) => space.add(key, await seal(key, value), await hide(kept)),
    delete: (key) => space.delete(key),
    entries: async (wanted = {}) =>
      Promise.all(
        (await space.entries(await hideWanted(wanted))).map(async (record) => ({
          ...record,
          value: await unseal(record.key, record.value),
        })),
      ),
    keys: async (wanted = {}) => space.keys(await hideWanted(wanted)),
    count: async (wanted = {}) => space.count(await hide(wanted)),
    clear: () => space.clear(),
  };
}

function parseKey(text: string, from: string): Buffer {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (key.length === KEY_BYTES) return key;
  const message = `${from} is not a key of ${KEY_BYTES} bytes. Make one: openssl rand -base64 ${KEY_BYTES}`;
  throw new ToolError({ code: 'invalid_config', message });
}
