import { counted } from '../../tool/texts/counted.ts';
import { randomBytes } from 'node:crypto';
import { createReadStream, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { onProcessExit } from '../process/on-process-exit.ts';
import { createLineIndex, restoreLineIndex } from './output-lines.ts';
import type { OutputShelf } from './output-shelf.ts';
import { createFileWriter, type FileWriter, type WrittenOutput } from './output-writer.ts';
import { NO_WRITER, type OutputWriter, type StoredOutput } from './stored-output.ts';
import { type OutputPage, type PageRange, readPage } from './read-page.ts';
import { createPrivateFolder, removeStaleFolders } from './private-folder.ts';
import { type OutputMatches, type OutputSearch, searchLines } from './search-lines.ts';

/** Where, how long and how much a store keeps. */
export interface OutputStoreOptions {
  /** Made when needed; the store uses a private folder inside. */
  readonly folder: string;
  /** Bytes kept of one output. Default: 1 GiB. */
  readonly maxBytes?: number;
  /** Bytes kept of all outputs; beyond that the oldest of the caller with most go first. Default: 4 GiB. */
  readonly maxTotalBytes?: number;
  /** Milliseconds an output is kept. Default: one hour. */
  readonly ttl?: number;
  readonly clock?: { now(): number };
  /** Makes a gate for the text of one output, that takes out what must not be kept. Default: everything is kept as it is. */
  readonly gate?: () => OutputGate;
}

/** Takes an output in parts, each byte as a character, and gives what may be kept of it. */
interface OutputGate {
  push(part: string): string;
  end(): string;
}

/** Outputs too large for memory, kept on disk for a while. */
export interface OutputStore extends OutputAccess {
  /** The outputs of one caller: what is made through it is read through it, and everything else is not there. */
  of(owner: string): OutputAccess;
  /** @internal Lends outputs to other processes of the board from now on, and reads theirs. */
  share(shelf: OutputShelf): void;
  /** @internal Resolves when all outputs that were made are lent. */
  settled(): Promise<void>;
  /** Deletes what is over its time. Happens by itself too. */
  expire(): void;
  /** Deletes everything. */
  close(): void;
}

/** A text that is kept. */
export interface KeptText {
  readonly id: string;
  /** Resolves when it is there for other processes too; unset for a short text, which is there at once. */
  readonly kept?: Promise<void>;
}

/** Makes and reads outputs: those of one caller, or all. */
export interface OutputAccess {
  /** Keeps a text as a whole, a long one in the background: who reads it waits for the end. `undefined` when that failed. */
  keep(text: string): KeptText | undefined;
  /** Starts a new output. Never throws: trouble with the disk shows in `end`. */
  create(): OutputWriter;
  /** Gets an output of another process of the board, so that it can be opened here; whether it can. */
  bring(id: string): Promise<boolean>;
  /** An output and its bytes, or `undefined` when there is none (any more). */
  open(id: string): (StoredOutput & { stream(): Readable }) | undefined;
  /** Some lines from `offset` on; a negative offset counts from the end. Throws `not_found`. */
  read(id: string, range?: PageRange): Promise<OutputPage>;
  /** The lines that match, read one by one. Throws `not_found`. */
  search(id: string, search: OutputSearch): Promise<OutputMatches>;
}

interface Entry extends WrittenOutput {
  readonly path: string;
  readonly expiresAt: number;
  readonly owner: string | undefined;
}

const GIB = 1024 ** 3;
/** Characters of a text that are kept at once. */
const SLICE = 256 * 1024;
/** Characters of an id; longer ones are not of ours. */
const MAX_ID = 100;

/** Bytes as characters and back, so that bytes that are no text come through. */
const toText = (bytes: Buffer): string => bytes.toString('latin1');
const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Opens a store, after removing what a store left in this folder that could not clean up. */
export function createOutputStore(options: OutputStoreOptions): OutputStore {
  const { folder: parent, maxBytes = GIB, maxTotalBytes = 4 * GIB, ttl = 60 * 60 * 1000, clock = Date, gate } = options;
  const entries = new Map<string, Entry>();
  const writers = new Set<FileWriter>();
  /** Outputs that are being written here: long texts, and those of other processes. */
  const arriving = new Map<string, Promise<void>>();
  /** Outputs on their way to other processes. */
  const leaving = new Set<Promise<void>>();
  let shelf: OutputShelf | undefined;
  let folder: string | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  removeStaleFolders(parent);
  const forgetExit = onProcessExit(close);

  function toStored(id: string, { size, lines, isComplete, expiresAt }: Entry): StoredOutput {
    return { id, size, lines: lines.count(), isComplete, expiresAt };
  }

  /** An entry, for its owner or the board itself. */
  function look(id: string, owner: string | undefined): Entry | undefined {
    expire();
    const entry = entries.get(id);
    return owner === undefined || entry?.owner === owner ? entry : undefined;
  }

  /** Gets an output from the shelf, once for all who ask at the same time. */
  async function bring(id: string): Promise<void> {
    expire();
    const known = arriving.get(id);
    if (known !== undefined) return known;
    if (shelf === undefined || entries.has(id) || isClosed || id.length > MAX_ID) return;
    const bringing = fetchOutput(shelf, id).finally(() => arriving.delete(id));
    arriving.set(id, bringing);
    return bringing;
  }

  async function fetchOutput(from: OutputShelf, id: string): Promise<void> {
    folder ??= createPrivateFolder(parent);
    const path = join(folder, randomBytes(9).toString('base64url'));
    const found = await from.fetch(id, path);
    if (found === undefined) return;
    const { size, isComplete, owner, starts, lines } = found;
    // By the clock of this machine: that of the other one may differ.
    const expiresAt = clock.now() + ttl;
    insert(id, { size, isComplete, owner, path, lines: restoreLineIndex(starts, lines), expiresAt });
  }

  async function find(id: string, owner: string | undefined): Promise<Entry> {
    if (!entries.has(id)) await bring(id);
    const entry = look(id, owner);
    if (entry !== undefined) return entry;
    const message = `There is no stored output ${describeValue(id)}. Outputs are kept for ${counted(Math.ceil(ttl / 60_000), 'minute')}: run the tool again.`;
    throw new ToolError({ code: 'not_found', message, field: 'id', reason: 'unknown or expired' });
  }

  function add(id: string, written: Omit<Entry, 'expiresAt'>): StoredOutput {
    const entry: Entry = { ...written, expiresAt: clock.now() + ttl };
    insert(id, entry);
    return toStored(id, entry);
  }

  /** Lends an output to other processes. */
  function lend(id: string): void {
    const entry = entries.get(id);
    if (shelf === undefined || entry === undefined) return;
    const { size, isComplete, owner, path, lines } = entry;
    const index = { starts: lines.starts, lines: lines.count() };
    const lending = shelf.put(id, { size, isComplete, owner, path, ttl, ...index });
    leaving.add(lending);
    void lending.finally(() => leaving.delete(lending));
  }

  function insert(id: string, entry: Entry): void {
    entries.set(id, entry);
    let total = 0;
    for (const { size } of entries.values()) total += size;
    while (total > maxTotalBytes) {
      const other = findSurplus(id);
      if (other === undefined) break;
      total -= entries.get(other)?.size ?? 0;
      remove(other);
    }
    timer ??= setTimeout(expire, ttl).unref();
  }

  /** The oldest output of the caller that has most: one caller's outputs never push out those of others that have less. */
  function findSurplus(newest: string): string | undefined {
    const bytes = new Map<string | undefined, number>();
    for (const { owner, size } of entries.values()) bytes.set(owner, (bytes.get(owner) ?? 0) + size);
    const owners = [...bytes].toSorted(([, one], [, other]) => other - one).map(([owner]) => owner);
    for (const owner of owners)
      for (const [id, entry] of entries) if (entry.owner === owner && id !== newest) return id;
    return undefined;
  }

  function remove(id: string): void {
    const path = entries.get(id)?.path;
    entries.delete(id);
    if (path !== undefined) rmSync(path, { force: true });
  }

  function expire(): void {
    const now = clock.now();
    for (const [id, { expiresAt }] of entries) if (expiresAt <= now) remove(id);
    clearTimeout(timer);
    const [next] = entries.values();
    timer = next === undefined ? undefined : setTimeout(expire, Math.max(next.expiresAt - now, 1)).unref();
  }

  function create(owner: string | undefined): OutputWriter {
    let path: string;
    try {
      if (isClosed) return NO_WRITER;
      folder ??= createPrivateFolder(parent);
      path = join(folder, randomBytes(9).toString('base64url'));
    } catch {
      return NO_WRITER;
    }
    const writer = createFileWriter(path, maxBytes);
    writers.add(writer);
    const guard = gate?.();
    const id = randomBytes(18).toString('base64url');
    return {
      id,
      get isFull() {
        return writer.isFull;
      },
      drained: () => writer.drained(),
      write: (chunk) => (guard === undefined ? writer.write(chunk) : writer.write(toBytes(guard.push(toText(chunk))))),
      async end() {
        if (guard !== undefined) writer.write(toBytes(guard.end()));
        const written = await writer.end();
        writers.delete(writer);
        if (written !== undefined && !isClosed) {
          const stored = add(id, { ...written, path, owner });
          lend(id);
          return stored;
        }
        rmSync(path, { force: true });
        return undefined;
      },
      discard() {
        writer.destroy();
        // The file may be about to be made: it goes once the writer is closed.
        void writer.end().then(() => {
          writers.delete(writer);
          rmSync(path, { force: true });
        });
      },
    };
  }

  /** Keeps a long text in slices, in the background; those who read it wait for the end. */
  function keepInSlices(text: string, owner: string | undefined): KeptText | undefined {
    const writer = create(owner);
    const { id } = writer;
    if (id === undefined) return undefined;
    const kept = (async () => {
      for (let at = 0; at < text.length && !writer.isFull;) {
        await nextTurn();
        const end = wholeEnd(text, at + SLICE);
        const hasRoom = writer.write(Buffer.from(text.slice(at, end)));
        if (!hasRoom) await writer.drained();
        at = end;
      }
      await writer.end();
    })().finally(() => arriving.delete(id));
    arriving.set(id, kept);
    return { id, kept };
  }

  function keep(text: string, owner: string | undefined): KeptText | undefined {
    if (isClosed) return undefined;
    if (text.length > SLICE) return keepInSlices(text, owner);
    const guard = gate?.();
    const whole = Buffer.from(text);
    const clean = guard === undefined ? whole : toBytes(guard.push(toText(whole)) + guard.end());
    const bytes = clean.subarray(0, maxBytes);
    const lines = createLineIndex();
    lines.add(bytes);
    try {
      folder ??= createPrivateFolder(parent);
      const path = join(folder, randomBytes(9).toString('base64url'));
      writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
      const written = { size: bytes.length, isComplete: bytes.length === clean.length, lines };
      const stored = add(randomBytes(18).toString('base64url'), { ...written, path, owner });
      lend(stored.id);
      return stored;
    } catch {
      // A disk that is full or read-only: the text is shortened without a place for the rest.
      return undefined;
    }
  }

  function close(): void {
    isClosed = true;
    forgetExit();
    clearTimeout(timer);
    for (const writer of writers) writer.destroy();
    entries.clear();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }

  const access = (owner: string | undefined): OutputAccess => ({
    keep: (text) => keep(text, owner),
    create: () => create(owner),
    async bring(id) {
      await bring(id);
      return look(id, owner) !== undefined;
    },
    open(id) {
      const entry = look(id, owner);
      return entry && { ...toStored(id, entry), stream: () => createReadStream(entry.path) };
    },
    read: async (id, range = {}) => readPage(await find(id, owner), range),
    search: async (id, search) => searchLines(await find(id, owner), search),
  });
  const settled = async (): Promise<void> => {
    await Promise.allSettled(arriving.values());
    await Promise.all(leaving);
  };
  return { ...access(undefined), of: access, share: (given) => void (shelf = given), settled, expire, close };
}

/** The end of a slice that does not cut a surrogate pair in two. */
function wholeEnd(text: string, end: number): number {
  const isCut = end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00;
  return isCut ? end + 1 : end;
}
