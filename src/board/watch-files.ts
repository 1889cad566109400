import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

const QUIET = 80;
/** The link that Kubernetes replaces when it mounts secrets as files: all of them change with it. */
const MOUNTED = '..data';

/**
 * Calls back when one of the files changed and no further change followed for 80 ms. Watches folders, because editors replace files.
 *
 * Reads `files` again after each call: a reload may add files of other folders and remove some.
 */
export function watchFiles(files: () => readonly string[], onChange: () => Promise<unknown>): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const look = (): void => {
    if (isStopped) return;
    const wanted = new Set(files().map((file) => dirname(file)));
    for (const folder of watchers.keys()) if (!wanted.has(folder)) forget(folder);
    for (const folder of wanted) {
      if (watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, (_, name) => {
          const isMeant = (file: string): boolean =>
            dirname(file) === folder && [basename(file), MOUNTED].includes(name ?? '');
          if (name !== null && !files().some(isMeant)) return;
          clearTimeout(timer);
          timer = setTimeout(() => void onChange().finally(look), QUIET);
        });
        watcher.on('error', () => forget(folder));
        watchers.set(folder, watcher);
      } catch {
        // A missing folder is checked again after the next change.
      }
    }
  };
  look();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    for (const folder of watchers.keys()) forget(folder);
  };
}
