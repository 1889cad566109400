import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';

const QUIET = 200;
/** Milliseconds between checks for a folder that was replaced, moved away or came back: the system reports none of these. */
const CHECK_EVERY = 500;
const MAGIC = /[*?{[]/;
/** What the board itself keeps changes with every run. */
const NOISE = /(?:^|[/\\])(?:\.pegboard|\.git|node_modules)(?:[/\\]|$)/;

/** What is watched, and until when. */
interface WatchedFolders {
  /** Files, folders and patterns. */
  readonly paths: readonly string[];
  readonly base: string;
  readonly signal: AbortSignal;
}

/** Calls back when anything below the paths changed and things have gone quiet, one call at a time, until the signal. */
export async function watchFolders(
  { paths, base, signal }: WatchedFolders,
  onChange: () => Promise<void>,
): Promise<void> {
  const roots = new Set(paths.map((path) => rootOf(resolve(base, path))));
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  const change = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(onChange);
    }, QUIET);
  };
  const watches = [...roots].map((root) => new RootWatch(root, change));
  const checking = setInterval(() => {
    for (const each of watches) each.check();
  }, CHECK_EVERY);
  await new Promise<void>((settle) => {
    if (signal.aborted) settle();
    else signal.addEventListener('abort', () => settle(), { once: true });
  });
  clearTimeout(timer);
  clearInterval(checking);
  for (const each of watches) each.close();
  await working;
}

/** A folder with all below it, or a file; either may go and come back. */
class RootWatch {
  readonly #root: string;
  readonly #onChange: () => void;
  #watcher: FSWatcher | undefined;
  #identity: string | undefined;

  constructor(root: string, onChange: () => void) {
    this.#root = root;
    this.#onChange = onChange;
    this.#open();
  }

  /** Watches anew when the folder was replaced or is gone. */
  check(): void {
    const isWatched = this.#watcher !== undefined || this.#identity === undefined;
    if (isWatched && identityOf(this.#root) === this.#identity) return;
    this.close();
    this.#open();
    this.#onChange();
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #lose(watcher: FSWatcher): void {
    if (this.#watcher === watcher) this.close();
  }

  #open(): void {
    this.#identity = identityOf(this.#root);
    if (this.#identity === undefined) return;
    try {
      const recursive = statSync(this.#root).isDirectory();
      const watcher = watch(this.#root, { recursive }, (_, name) => {
        if (name === null || !NOISE.test(name)) this.#onChange();
        // A folder that was replaced is not watched any more, even when it is back already.
        if (identityOf(this.#root) !== this.#identity) this.check();
      });
      // The next check opens another.
      for (const event of ['error', 'close']) watcher.on(event, () => this.#lose(watcher));
      this.#watcher = watcher;
    } catch {
      // It went away just now.
      this.#identity = undefined;
    }
  }
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/** What to watch: the path itself, or what stands before the first wildcard. */
function rootOf(path: string): string {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere || !MAGIC.test(path) ? path : rootOf(dirname(path));
}
