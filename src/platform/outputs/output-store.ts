import { counted } from '../../tool/texts/counted.ts';
import { randomBytes } from 'node:crypto';
import { createReadStream, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { onProcessExit } from '../process/on-process-exit.ts';
import { createLineIndex, type OutputPage, type PageRange, readPage, restoreLineIndex } from './output-lines.ts';
import type { OutputShelf } from './output-shelf.ts';
import {
  createFileWriter,
  type FileWriter,
  NO_WRITER,
  type OutputWriter,
  type StoredOutput,
  type WrittenOutput,
} from './output-writer.ts';
import { createPrivateFolder, removeStaleFolders } from './private-folder.ts';
import { type OutputMatches, type OutputSearch, searchLines } from './search-lines.ts';
import { outputOwnerOf } from '../../tool/calls/call-owner.ts';
import type { ToolContext } from '../../tool/tool-context.ts';

export interface OutputStoreOptions {
  /** Created when needed. The store uses a private folder inside. */
  readonly folder: string;
  /** Bytes to keep of one output. Default: 1 GiB. */
  readonly maxBytes?: number;
  /** Bytes to keep of all outputs. Beyond that, the oldest outputs of the caller with the most bytes are deleted. Default: 4 GiB. */
  readonly maxTotalBytes?: number;
  /** Milliseconds to keep an output. Default: one hour. */
  readonly ttl?: number;
  readonly clock?: { now(): number };
  /** Creates a filter that removes secrets from one output. Default: none. */
  readonly gate?: () => OutputGate;
}

/** Filters an output in parts. Each byte is passed as one character. */
interface OutputGate {
  push(part: string): string;
  end(): string;
}

/** Stores outputs that are too large for memory on disk for a while. */
export interface OutputStore extends OutputAccess {
  /** Returns the access of one caller, which sees only outputs created through it. */
  of(owner: string): OutputAccess;
  /** @internal Shares outputs with the other processes of the board from now on. */
  share(shelf: OutputShelf): void;
  /** @internal Resolves when all outputs are shared. */
  settled(): Promise<void>;
  /** Deletes expired outputs. Also happens automatically. */
  expire(): void;
  /** Deletes all outputs. */
  close(): void;
}

/** A stored text: its id, and a promise where storing takes longer. */
export interface KeptText {
  readonly id: string;
  /** Resolves when other processes can read it too; unset for a short text, which they can read at once. */
  readonly kept?: Promise<void>;
}

/** Creates and reads outputs, of one caller or of all. */
export interface OutputAccess {
  /** Stores a text, a long one in the background; readers wait for it. Returns `undefined` on failure. */
  keep(text: string): KeptText | undefined;
  /** Starts a new output. Never throws: disk errors show in `end`. */
  create(): OutputWriter;
  /** Fetches an output from another process of the board. Returns false when there is none. */
  bring(id: string): Promise<boolean>;
  /** Opens an output; `undefined` when it does not exist or has expired. */
  open(id: string): (StoredOutput & { stream(): Readable }) | undefined;
  /** Reads lines from `offset` on. A negative offset counts from the end. Throws `not_found`. */
  read(id: string, range?: PageRange): Promise<OutputPage>;
  /** Finds matching lines. Throws `not_found`. */
  search(id: string, search: OutputSearch): Promise<OutputMatches>;
}

interface Entry extends WrittenOutput {
  readonly path: string;
  readonly expiresAt: number;
  readonly owner: string | undefined;
}

const GIB = 1024 ** 3;
/** Characters of a text that are stored at once. */
const SLICE = 256 * 1024;
/** Maximum characters of an id; longer ones are not valid. */
const MAX_ID = 100;

/** Converts each byte to one character and back, which preserves binary data. */
const toText = (bytes: Buffer): string => bytes.toString('latin1');
const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Opens a store and removes folders that earlier processes left behind. */
export function createOutputStore(options: OutputStoreOptions): OutputStore {
  const { folder: parent, maxBytes = GIB, maxTotalBytes = 4 * GIB, ttl = 60 * 60 * 1000, clock = Date, gate } = options;
  const entries = new Map<string, Entry>();
  const writers = new Set<FileWriter>();
  /** Outputs being written here: long texts, and outputs of other processes. */
  const arriving = new Map<string, Promise<void>>();
  /** Outputs being shared with other processes. */
  const leaving = new Set<Promise<void>>();
  let shelf: OutputShelf | undefined;
  let folder: string | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  removeStaleFolders(parent);
  const forgetExit = onProcessExit(close);

  function newPath(): string {
    folder ??= createPrivateFolder(parent);
    return join(folder, randomBytes(9).toString('base64url'));
  }

  function toStored(id: string, { size, lines, isComplete, expiresAt }: Entry): StoredOutput {
    return { id, size, lines: lines.count(), isComplete, expiresAt };
  }

  /** Finds an entry for its owner, or any entry for the board itself. */
  function look(id: string, owner: string | undefined): Entry | undefined {
    expire();
    const entry = entries.get(id);
    return owner === undefined || entry?.owner === owner ? entry : undefined;
  }

  /** Fetches an output from the shelf, once for concurrent requests. */
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
    const path = newPath();
    const found = await from.fetch(id, path);
    if (found === undefined) return;
    const { size, isComplete, owner, starts, lines } = found;
    // Expires by the clock of this machine: the other one may differ.
    add(id, { size, isComplete, owner, path, lines: restoreLineIndex(starts, lines) });
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
    return toStored(id, entry);
  }

  /** Shares an output with other processes. */
  function shareOutput(id: string): void {
    const entry = entries.get(id);
    if (shelf === undefined || entry === undefined) return;
    const { size, isComplete, owner, path, lines } = entry;
    const index = { starts: lines.starts, lines: lines.count() };
    const sharing = shelf.put(id, { size, isComplete, owner, path, ttl, ...index });
    leaving.add(sharing);
    void sharing.finally(() => leaving.delete(sharing));
  }

  /** Finds the oldest output of the caller with the most bytes, so that callers never displace those with fewer. */
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
      path = newPath();
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
          shareOutput(id);
          return stored;
        }
        rmSync(path, { force: true });
        return undefined;
      },
      discard() {
        writer.destroy();
        // The file may be about to be created: it is deleted after the writer closes.
        void writer.end().then(() => {
          writers.delete(writer);
          rmSync(path, { force: true });
        });
      },
    };
  }

  /** Stores a long text in slices in the background. Readers wait for the end. */
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
      const path = newPath();
      writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
      const written = { size: bytes.length, isComplete: bytes.length === clean.length, lines };
      const stored = add(randomBytes(18).toString('base64url'), { ...written, path, owner });
      shareOutput(stored.id);
      return stored;
    } catch {
      // The disk is full or read-only: the text is truncated and the rest is lost.
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

/** Returns the end of a slice that does not split a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  const isCut = end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00;
  return isCut ? end + 1 : end;
}

/** Returns the outputs that a call may create and read: its caller's own ones, if the board distinguishes callers. */
export function outputsFor(context: ToolContext, outputs: OutputStore): OutputAccess {
  const owner = outputOwnerOf(context);
  return owner === undefined ? outputs : outputs.of(owner);
}
