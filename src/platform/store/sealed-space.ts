import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { BoardStore, StoreSpace, StoreTransaction } from './board-store.ts';
import { prepareDataFolder } from './prepare-data-folder.ts';
import { createPrivateFile, readPrivateFile } from './private-file.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Where the store remembers which key it is sealed with: never the key itself. */
const META_SPACE = 'store';
const KEY_CHECK = 'key-check';

/** Where the key of a store comes from. */
export interface StoreKeyOptions {
  /** The board's data folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The key with which a board seals what it keeps in secret: `PEGBOARD_KEY`, or `store.key` in its data folder, which only this
 * user may read and which is made when it is missing.
 */
export function readStoreKey({ folder, env }: StoreKeyOptions): Buffer {
  const given = env['PEGBOARD_KEY'] || undefined;
  if (given !== undefined) return parseKey(given, 'PEGBOARD_KEY');
  const file = join(folder, 'store.key');
  const kept = readPrivateFile(file);
  if (kept !== undefined) return parseKey(kept.trim(), file);
  prepareDataFolder(folder);
  createPrivateFile(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
  // Of several processes one made it: all use that one.
  return parseKey((readPrivateFile(file) ?? '').trim(), file);
}

/** Throws `invalid_config` unless a store is sealed with this key, or with none yet. */
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

/** A store whose records only processes with the board's key can read. */
export interface SealedStore extends Pick<BoardStore, 'space' | 'takeLease' | 'watch'> {
  transaction<T>(work: (inside: Pick<StoreTransaction, 'space' | 'signal'>) => Promise<T>): Promise<T>;
}

interface SealOptions {
  /** Gives the key when it is first needed. */
  readonly open: () => Promise<Buffer>;
  /** Whether it may hold records that earlier versions did not seal. Elsewhere one who can write to the database could plant a login. */
  readonly takesPlain: boolean;
}

/** Seals the records of a store. */
export function sealStore(store: BoardStore, options: SealOptions): SealedStore {
  return {
    space: (name) => openSealedSpace(store.space(name), name, options),
    takeLease: (name, options) => store.takeLease(name, options),
    watch: (channel, listener) => store.watch(channel, listener),
    async transaction(work) {
      // To look at the key needs the store, which waits for the transaction.
      const key = await options.open();
      const inTurn = { ...options, open: async () => key };
      return store.transaction((inside) =>
        work({
          space: (name) => openSealedSpace(inside.space(name), name, inTurn),
          signal: (channel) => inside.signal(channel),
        }),
      );
    },
  };
}

/** A space whose values cannot be read, or put in another's place, without the key. */
function openSealedSpace(space: StoreSpace, name: string, { open, takesPlain }: SealOptions): StoreSpace {
  const seal = async (key: string, value: unknown): Promise<{ readonly sealed: string }> => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, await open(), nonce, { authTagLength: TAG_BYTES });
    // The place counts: a record that was copied to another one does not open there.
    cipher.setAAD(Buffer.from(`${name}\n${key}`));
    const text = Buffer.concat([cipher.update(JSON.stringify(value) ?? 'null', 'utf8'), cipher.final()]);
    return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64') };
  };
  const unseal = async (key: string, value: unknown): Promise<unknown> => {
    // What earlier versions kept was not sealed; it is once it is written again.
    if (!isPlainObject(value) || typeof value['sealed'] !== 'string') return takesPlain ? value : undefined;
    const bytes = Buffer.from(value['sealed'], 'base64');
    try {
      const cipher = createDecipheriv(ALGORITHM, await open(), bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      cipher.setAAD(Buffer.from(`${name}\n${key}`));
      cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
      return JSON.parse(text.toString('utf8'));
    } catch (cause) {
      if (cause instanceof ToolError) throw cause;
      const message = `A record of "${name}" in the board's store does not open with its key: it was changed, or written with another key.`;
      throw new ToolError({ code: 'execution_failed', message, cause });
    }
  };
  return {
    get: async (key) => unseal(key, await space.get(key)),
    set: async (key, value, options) => space.set(key, await seal(key, value), options),
    add: async (key, value, options) => space.add(key, await seal(key, value), options),
    delete: (key) => space.delete(key),
    entries: async (options) =>
      Promise.all(
        (await space.entries(options)).map(async (record) => ({
          ...record,
          value: await unseal(record.key, record.value),
        })),
      ),
    clear: () => space.clear(),
  };
}

function parseKey(text: string, from: string): Buffer {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (key.length === KEY_BYTES) return key;
  const message = `${from} is not a key of ${KEY_BYTES} bytes. Make one: openssl rand -base64 ${KEY_BYTES}`;
  throw new ToolError({ code: 'invalid_config', message });
}
