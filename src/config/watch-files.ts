import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

const QUIET = 80;

/** Calls back when one of the files changed and things have gone quiet. Folders are watched: editors replace files. */
export function watchFiles(files: () => readonly string[], onChange: () => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    for (const folder of new Set(files().map((file) => dirname(file)))) {
      if (watchers.has(folder)) continue;
      const watcher = watch(folder, (_, name) => {
        if (name !== null && !files().some((file) => basename(file) === name && dirname(file) === folder)) return;
        clearTimeout(timer);
        timer = setTimeout(() => {
          onChange();
          // A reload may have brought files of other folders.
          setTimeout(look, QUIET).unref();
        }, QUIET);
      });
      watcher.on('error', () => watcher.close());
      watchers.set(folder, watcher);
    }
  };
  look();
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}
