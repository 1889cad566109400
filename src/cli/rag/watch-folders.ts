import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';

const QUIET = 200;
const MAGIC = /[*?{[]/;

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
  const folders = new Set(paths.map((path) => folderOf(resolve(base, path))));
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  const change = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(onChange);
    }, QUIET);
  };
  const watchers: FSWatcher[] = [...folders].map((folder) => {
    const watcher = watch(folder, { recursive: true }, (_, name) => {
      // What the board itself keeps changes with every run.
      if (name !== null && /(?:^|[/\\])(?:\.pegboard|\.git|node_modules)(?:[/\\]|$)/.test(name)) return;
      change();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  });
  await new Promise<void>((settle) => {
    if (signal.aborted) settle();
    else signal.addEventListener('abort', () => settle(), { once: true });
  });
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  await working;
}

/** The folder to watch: the path itself, that of a file, or what stands before the first wildcard. */
function folderOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  return MAGIC.test(path) ? folderOf(dirname(path)) : dirname(path);
}
