import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { tryFindConfig } from './find-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns true where a process uses no shared board: by choice, in CI, as the main process of a container, or inside a call of another board. */
export function isStandalone(env: Environment): boolean {
  const chosen = env['PEGBOARD_STANDALONE'] ?? '';
  if (chosen !== '') return chosen !== '0';
  if ((env['CI'] ?? '') !== '' || env['PEGBOARD_CALL'] !== undefined) return true;
  return (
    process.pid === 1 || (process.ppid === 1 && (env['KUBERNETES_SERVICE_HOST'] ?? env['container']) !== undefined)
  );
}

/** Returns the absolute paths of the files, without links in their folders; `undefined` if there are none, or they cannot be read. */
export function findBoardFiles(
  given: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): readonly string[] | undefined {
  try {
    return tryFindConfig(given, { cwd, env })?.map((file) => {
      const path = resolve(cwd, file);
      return join(realpathSync(dirname(path)), basename(path));
    });
  } catch {
    return undefined;
  }
}
