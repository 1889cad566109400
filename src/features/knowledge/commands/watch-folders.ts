import { type FSWatcher, type Stats, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isBinaryName } from '../../../knowledge/documents/document-format.ts';

/** Milliseconds without a change before work begins. */
const QUIET = 200;
/** Milliseconds after which work begins even if changes continue. */
const LONGEST_WAIT = 2_000;
/** Milliseconds between checks for paths that were replaced, moved or came back, which the system does not report. */
const CHECK_EVERY = 500;
/** Milliseconds between runs when the system cannot add watches. */
const BLIND_EVERY = 5_000;
const FIRST_RETRY = 1_000;
const LONGEST_RETRY = 60_000;
const MAGIC = /[*?{[]/;
/** Files that databases write beside themselves. */
const DATABASE_PART = /-(?:wal|shm|journal)$/;

interface WatchedFolders {
  /** Files, folders and patterns. */
  readonly paths: readonly string[];
  readonly base: string;
  readonly signal: AbortSignal;
  /** Called when work fails; it is repeated later, even without changes. */
  readonly onFailure: (error: unknown) => void;
  /** Called once when the system cannot watch more folders. */
  readonly onBlind: () => void;
}

/** Does the work; calls `onFolder` for each folder before reading it, so that it is watched from then on. */
type WatchedWork = (onFolder: (folder: string) => void) => Promise<void>;

/**
 * Runs the work once, then again after each change in a folder that it read, one run at a time, until the signal. No change is
 * missed: a folder is watched before it is read.
 */
export async function watchFolders(
  { paths, base, signal, onFailure, onBlind }: WatchedFolders,
  { first, again }: { readonly first: WatchedWork; readonly again: WatchedWork },
): Promise<void> {
  const bell = new Bell();
  const folders = new FolderWatches(() => bell.ring(), onBlind);
  const roots = [...new Set(paths.map((path) => rootOf(resolve(base, path))))].map(
    (path) => new RootCheck(path, folders, () => bell.ring()),
  );
  let lookedAt = Date.now();
  const checking = setInterval(() => {
    for (const root of roots) root.check();
    if (folders.isBlind && Date.now() - lookedAt >= BLIND_EVERY) bell.ring();
  }, CHECK_EVERY);
  const work = async (task: WatchedWork): Promise<void> => {
    const seen = new Set<string>(roots.flatMap((root) => root.watch()));
    await task((folder) => {
      seen.add(folder);
      folders.add(folder);
    });
    if (!signal.aborted) folders.keepOnly(seen);
    lookedAt = Date.now();
  };
  try {
    await work(first);
    for (let failures = 0; await bell.isRung(signal);) {
      try {
        await work(again);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        onFailure(error);
        bell.ringIn(Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** failures++));
      }
    }
  } finally {
    clearInterval(checking);
    bell.close();
    folders.keepOnly(new Set());
  }
}

/** Signals changes once they are over or have continued for long. */
class Bell {
  #firstAt: number | undefined;
  #lastAt = 0;
  #wake = Promise.withResolvers<void>();
  #later: NodeJS.Timeout | undefined;

  ring(): void {
    this.#lastAt = Date.now();
    this.#firstAt ??= this.#lastAt;
    this.#wake.resolve();
  }

  ringIn(milliseconds: number): void {
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.ring(), milliseconds);
  }

  /** Waits for a change, then for quiet; `false` if the signal aborted first. */
  async isRung(signal: AbortSignal): Promise<boolean> {
    const stopped = Promise.withResolvers<void>();
    const stop = (): void => stopped.resolve();
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (!signal.aborted) await Promise.race([this.#wake.promise, stopped.promise]);
      while (!signal.aborted && this.#firstAt !== undefined) {
        const now = Date.now();
        const left = Math.min(this.#lastAt + QUIET, this.#firstAt + LONGEST_WAIT) - now;
        if (left <= 0) break;
        await Promise.race([wait(left), stopped.promise]);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
    // The work may miss changes from here on.
    this.#firstAt = undefined;
    this.#wake = Promise.withResolvers();
    return !signal.aborted;
  }

  close(): void {
    clearTimeout(this.#later);
  }
}

/** Watches each folder separately: the system's recursive watch misses new folders that already contain files. */
class FolderWatches {
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string | undefined }>();
  readonly #onChange: () => void;
  readonly #onBlind: () => void;
  /** True when a folder could not be watched. */
  isBlind = false;

  constructor(onChange: () => void, onBlind: () => void) {
    this.#onChange = onChange;
    this.#onBlind = onBlind;
  }

  add(folder: string): void {
    const identity = identityOf(folder);
    const known = this.#watchers.get(folder);
    if (known !== undefined && known.identity === identity) return;
    this.#drop(folder);
    try {
      const watcher = watch(folder, (type, name) => this.#receive(folder, type, name));
      this.#watchers.set(folder, { watcher, identity });
      // The next run opens another watch.
      for (const event of ['error', 'close']) watcher.on(event, () => this.#lose(folder, watcher));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EMFILE'))) return;
      if (!this.isBlind) this.#onBlind();
      this.isBlind = true;
    }
  }

  /** Stops watching all other folders. */
  keepOnly(folders: ReadonlySet<string>): void {
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#drop(folder);
  }

  #receive(folder: string, type: string, name: string | null): void {
    if (name === null) return this.#onChange();
    const path = join(folder, name);
    const isFolder = this.#watchers.has(path) || look(path)?.isDirectory() === true;
    // The data folder of a board, if below, changes with every run.
    if (!isFolder && (isBinaryName(name) || DATABASE_PART.test(name))) return;
    if (type === 'rename') {
      // A folder that disappeared and came back may have the same inode, but is no longer watched.
      this.#drop(path);
      // The system reports a folder's own name when the folder itself is deleted.
      if (name === basename(folder)) this.#drop(folder);
    }
    this.#onChange();
  }

  #lose(folder: string, watcher: FSWatcher): void {
    if (this.#watchers.get(folder)?.watcher !== watcher) return;
    this.#watchers.delete(folder);
    this.#onChange();
  }

  #drop(folder: string): void {
    const known = this.#watchers.get(folder);
    this.#watchers.delete(folder);
    known?.watcher.close();
  }
}

/** A named folder or file, which may disappear, come back or be replaced. */
class RootCheck {
  readonly #path: string;
  readonly #folders: FolderWatches;
  readonly #onChange: () => void;
  #identity: string | undefined;

  constructor(path: string, folders: FolderWatches, onChange: () => void) {
    this.#path = path;
    this.#folders = folders;
    this.#onChange = onChange;
  }

  check(): void {
    if (identityOf(this.#path) !== this.#identity) this.#onChange();
  }

  /** Returns the folder to watch for a file; folders are watched by the work itself. */
  watch(): string[] {
    this.#identity = identityOf(this.#path);
    if (look(this.#path)?.isFile() !== true) return [];
    // Editors replace files: a watch on the file itself would stay with the old one.
    const folder = dirname(this.#path);
    this.#folders.add(folder);
    return [folder];
  }
}

function identityOf(path: string): string | undefined {
  const stats = look(path);
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // It may be inaccessible, or a link to itself.
    return undefined;
  }
}

/** Returns the path itself, or the part before the first wildcard. */
function rootOf(path: string): string {
  const isThere = look(path) !== undefined;
  return isThere || !MAGIC.test(path) ? path : rootOf(dirname(path));
}
