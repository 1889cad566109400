import { statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { SureRefusal } from '../../tool/tool-marks.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { explainSpawnError } from '../../platform/process/spawn/explain-spawn-error.ts';
import type { KindHost } from '../kind.ts';
import { commandResult } from './command-result.ts';
import { checkGit, type ReadyCommand } from './run-command.ts';
import type { RunSettings } from './run-settings.ts';

/** The programs that calls of an entry start. */
interface Startable {
  readonly running: RunSettings;
  readonly host: KindHost;
  /** Returns the first command of a call. Later ones may need its results. */
  readonly first: (
    args: Readonly<Record<string, unknown>>,
  ) => ReadyCommand | undefined | Promise<ReadyCommand | undefined>;
}

/** Creates the check of a tool that starts commands: a missing folder or program, and repositories that git must not use. */
export function refuseCommand({ first, running, host }: Startable): SureRefusal {
  return async (args, signal) => {
    try {
      const command = await first(args);
      // Another machine or a container has its own programs.
      if (command === undefined || host.prefix.length > 0) return undefined;
      const missing = findMissing(command);
      const result = missing && (await commandResult(missing, running, host));
      if (result?.failed() === true) return result.error;
      if (command.git !== undefined) await checkGit(command, command.git, { host, signal });
      return undefined;
    } catch (error) {
      // The call itself reports other errors.
      return error instanceof ToolError ? error : undefined;
    }
  };
}

/** Returns the reason why a command cannot start; `undefined` if only a try can tell. */
function findMissing({ argv, cwd, env }: ReadyCommand): ReturnType<typeof explainSpawnError> | undefined {
  const [file = ''] = argv;
  const folders = env['PATH']?.split(delimiter);
  if (!file.includes('/') && folders === undefined) return undefined;
  const places = file.includes('/')
    ? [resolve(cwd ?? '.', file)]
    : (folders ?? []).map((folder) => resolve(cwd ?? '.', folder, file));
  const isThere = (cwd === undefined || exists(cwd)) && places.some(exists);
  return isThere ? undefined : explainSpawnError({ type: 'error', code: 'ENOENT', message: '' }, { file, cwd });
}

/** True when something exists. An unreadable folder does not reveal it. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
