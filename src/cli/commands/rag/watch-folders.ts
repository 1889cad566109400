import { type FSWatcher, type Stats, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isBinaryName } from '../../../knowledge/documents/document-format.ts';

/** Milliseconds without a change before work begins. */
const QUIET = 200;
/** Milliseconds after which work begins although changes go on. */
const LONGEST_WAIT = 2_000;
/** Milliseconds between checks for a path that was replaced, moved away or came back: the system reports none of these. */
const CHECK_EVERY = 500;
/** Milliseconds between two runs where the system has no room for more watches. */
const BLIND_EVERY = 5_000;
const FIRST_RETRY = 1_000;
const LONGEST_RETRY = 60_000;
const MAGIC = /[*?{[]/;
/** What databases write beside themselves. */
const DATABASE_PART = /-(?:wal|shm|journal)$/;

/** What is watched, and until when. */
interface WatchedFolders {
  /** Files, folders and patterns. */
  readonly paths: readonly string[];
  readonly base: string;
  readonly signal: AbortSignal;
  /** Hears of work that failed; it is done again later, even when nothing changes. */
  readonly onFailure: (error: unknown) => void;
  /** Hears, once, that the system can watch no more folders. */
  readonly onBlind: () => void;
}

/** Does the work; calls `onFolder` for each folder before it looks into it, so that it is watched from then on. */
type WatchedWork = (onFolder: (folder: string) => void) => Promise<void>;

/**
 * Works once, then again when anything in a folder that the work looked into has changed, one after the other until the
 * signal. No change is missed: a folder is watched before it is looked into.
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

/** Tells that something changed, once the changes are over or have gone on for long. */
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

  /** Waits for the next ring and for quiet; `false` when the signal came first. */
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
    // From here on a change is one that the work may not see.
    this.#firstAt = undefined;
    this.#wake = Promise.withResolvers();
    return !signal.aborted;
  }

  close(): void {
    clearTimeout(this.#later);
  }
}

/** A watch for each folder by itself: the system's own watch of a whole tree misses folders that come with files in them. */
class FolderWatches {
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string | undefined }>();
  readonly #onChange: () => void;
  readonly #onBlind: () => void;
  /** Whether a folder could not be watched. */
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
      const watcher = watch(folder, (type, name) => this.#hear(folder, type, name));
      this.#watchers.set(folder, { watcher, identity });
      // The next run opens another.
      for (const event of ['error', 'close']) watcher.on(event, () => this.#lose(folder, watcher));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EMFILE'))) return;
      if (!this.isBlind) this.#onBlind();
      this.isBlind = true;
    }
  }

  /** Lets go of all other folders. */
  keepOnly(folders: ReadonlySet<string>): void {
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#drop(folder);
  }

  #hear(folder: string, type: string, name: string | null): void {
    if (name === null) return this.#onChange();
    const path = join(folder, name);
    const isFolder = this.#watchers.has(path) || look(path)?.isDirectory() === true;
    // What a board keeps, where its data folder is below, changes with every run.
    if (!isFolder && (isBinaryName(name) || DATABASE_PART.test(name))) return;
    if (type === 'rename') {
      // A folder that went and came back may have the same number, and is not watched any more.
      this.#drop(path);
      // The system gives a folder's own name when the folder itself is gone.
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

/** A folder or a file that was named; it may go and come back, or be another one behind the same path. */
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

  /** Gives the folder to watch for a file; one for a folder comes from the work. */
  watch(): string[] {
    this.#identity = identityOf(this.#path);
    if (look(this.#path)?.isFile() !== true) return [];
    // Editors replace a file by another: a watch of the file itself would stay with the old one.
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
    // It may not be looked at, or is a link to itself.
    return undefined;
  }
}

/** What to check: the path itself, or what stands before the first wildcard. */
function rootOf(path: string): string {
  const isThere = look(path) !== undefined;
  return isThere || !MAGIC.test(path) ? path : rootOf(dirname(path));
}
