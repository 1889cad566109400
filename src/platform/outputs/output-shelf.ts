import { constants, createReadStream } from 'node:fs';
import { copyFile, link, open, rm } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isPlainObject } from '../../tool/json.ts';
import type { BoardStore } from '../store/board-store.ts';
import { sealById, toStoredName, unsealById } from '../store/sealed-space.ts';
import type { LineStart } from './output-lines.ts';

const SPACE = 'outputs';
/** Bytes per stored piece, and of the largest output that is stored. */
const PIECE = 512 * 1024;
const MAX_SHARED = 64 * 1024 * 1024;
/** The limit when other processes of the machine can read the file too. */
const MAX_SHARED_BESIDE_FILE = 4 * 1024 * 1024;
/** Milliseconds to wait for an output that was just created. */
const PATIENCE = 1_000;

/** An output as other processes of the board see it. */
interface ShelvedOutput {
  readonly size: number;
  readonly isComplete: boolean;
  readonly owner: string | undefined;
  /** Known line starts, and the number of lines. */
  readonly starts: readonly LineStart[];
  readonly lines: number;
}

type ShelfStore = Pick<BoardStore, 'address' | 'bytes' | 'space' | 'transaction'>;

/** Shares outputs between the processes of a board. */
export interface OutputShelf {
  /** Shares an output and its file. Never rejects: on failure, only this process can read the output. */
  put(id: string, output: ShelvedOutput & { readonly path: string; readonly ttl: number }): Promise<void>;
  /** Writes an output of another process to a new file; `undefined` when there is none. Rejects when the store is unreachable. */
  fetch(id: string, path: string): Promise<ShelvedOutput | undefined>;
}

/**
 * Creates a shelf in a board's store. It stores outputs in pieces, encrypted so that only holders of the output's id can read them.
 * When all processes are on one machine, it stores only the path of the file. With `outlivesProcess` it also stores the bytes of all but
 * very long outputs, because the file is deleted with its process.
 */
export function createOutputShelf(
  openStore: () => ShelfStore | undefined,
  { outlivesProcess = false }: { readonly outlivesProcess?: boolean } = {},
): OutputShelf {
  return {
    async put(id, { path, ttl, ...output }) {
      const store = openStore();
      if (store === undefined) return;
      try {
        const isLocal = isAbsolute(store.address);
        if (!isLocal && output.size > MAX_SHARED) return;
        const isWritten = !isLocal || (outlivesProcess && output.size <= MAX_SHARED_BESIDE_FILE);
        const pieces = isWritten ? await writePieces(store, { id, path, ttl }) : 0;
        const row = { ...output, pieces, ...(isLocal ? { path } : {}) };
        const sealed = sealById(id, Buffer.from(JSON.stringify(row))).toString('base64');
        await store.transaction((inside) => inside.space(SPACE).set(toStoredName(id), { sealed }, { ttl }), {
          durable: false,
        });
      } catch {
        // The store is unreachable, or the output was deleted meanwhile.
      }
    },
    async fetch(id, path) {
      const store = openStore();
      const row = store && (await findRow(store, id));
      if (store === undefined || row === undefined) return undefined;
      try {
        const isLinked = typeof row.path === 'string' && (await linkOrCopy(row.path, path, row.pieces > 0));
        if (!isLinked) await readPieces(store, { id, path, pieces: row.pieces });
        return row;
      } catch (error) {
        await rm(path, { force: true });
        // The process that created it has ended and deleted its files.
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}

/**
 * Links a file, or copies it to another disk, so that it survives the original. Returns false for a missing file, or rejects if it must
 * exist.
 */
async function linkOrCopy(from: string, to: string, mayMiss: boolean): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing && mayMiss) return false;
    if (isMissing) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
  return true;
}

async function writePieces(
  store: ShelfStore,
  { id, path, ttl }: { readonly id: string; readonly path: string; readonly ttl: number },
): Promise<number> {
  const name = toStoredName(id);
  let piece = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: PIECE }))
    await store.bytes.write({ id: `output ${name}`, piece: piece++, bytes: sealById(id, chunk as Buffer), ttl });
  return piece;
}

async function readPieces(
  store: ShelfStore,
  { id, path, pieces }: { readonly id: string; readonly path: string; readonly pieces: number },
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for (let piece = 0; piece < pieces; piece++) {
      const sealed = await store.bytes.read(`output ${toStoredName(id)}`, piece);
      const bytes = sealed && unsealById(id, sealed);
      if (bytes === undefined) throw Object.assign(new Error('A piece is missing.'), { code: 'ENOENT' });
      await file.write(bytes);
    }
  } finally {
    await file.close();
  }
}

interface ShelfRow extends ShelvedOutput {
  readonly pieces: number;
  readonly path?: string | undefined;
}

/** Finds an output in the store. Waits a moment for one that was just created. */
async function findRow(store: ShelfStore, id: string): Promise<ShelfRow | undefined> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    const value = await store.space(SPACE).get(toStoredName(id));
    const sealed = isPlainObject(value) ? value['sealed'] : undefined;
    const bytes = typeof sealed === 'string' ? unsealById(id, Buffer.from(sealed, 'base64')) : undefined;
    // Only this program writes data that opens with the output's id.
    if (bytes !== undefined) return JSON.parse(bytes.toString('utf8')) as ShelfRow;
    if (performance.now() > until) return undefined;
    await wait(50);
  }
}
